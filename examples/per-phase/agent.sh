#!/bin/sh
# Stands for an agent: writes down which profile ran which phase.
cat >/dev/null
echo "$AI_SESSION_HANDLER_PHASE_ID: $1" >>log.txt
echo "<phase-complete>Done by the $1 agent.</phase-complete>"
