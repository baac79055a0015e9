#!/bin/sh
# Stands for an agent: writes down how it was started, and prints the team's token,
# as an agent in trouble may.
cat >/dev/null
echo "role $2, effort $EFFORT, other variables: ${SOMETHING_ELSE-none}" >"$2.txt"
echo "the token is ${TEAM_TOKEN-not set}"
echo "<phase-complete>Worked as $2 with effort $EFFORT.</phase-complete>"
