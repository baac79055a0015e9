package cgroup

import (
	"strings"
	"testing"
)

const (
	unifiedMount = "35 24 0:30 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
	hybridMounts = "30 22 0:27 / /sys/fs/cgroup ro,nosuid shared:4 - tmpfs tmpfs ro,mode=755\n" +
		"31 30 0:28 / /sys/fs/cgroup/unified rw,nosuid shared:5 - cgroup2 cgroup2 rw\n" +
		"35 30 0:34 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
	oldMounts = "30 22 0:27 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n" +
		"35 30 0:34 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
	hostPath = "/kubepods/pod1/c1"
)

func TestTheDirectoryOfACgroup(t *testing.T) {
	for name, test := range map[string]struct{ mounts, cgroup, want, err string }{
		"unified":                   {mounts: unifiedMount, cgroup: "0::/user.slice/run-1.scope\n", want: "/sys/fs/cgroup/user.slice/run-1.scope"},
		"root":                      {mounts: unifiedMount, cgroup: "0::/\n", want: "/sys/fs/cgroup"},
		"hybrid":                    {mounts: hybridMounts, cgroup: "4:memory:/a\n1:name=systemd:/b\n0::/b\n", want: "/sys/fs/cgroup/unified/b"},
		"container of its own":      {mounts: "9 8 0:30 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n", cgroup: "0::/\n", want: "/sys/fs/cgroup"},
		"container of the host":     {mounts: "9 8 0:30 " + hostPath + " /sys/fs/cgroup ro - cgroup2 cgroup rw\n", cgroup: "0::" + hostPath + "/x\n", want: "/sys/fs/cgroup/x"},
		"container mount itself":    {mounts: "9 8 0:30 " + hostPath + " /sys/fs/cgroup ro - cgroup2 cgroup rw\n", cgroup: "0::" + hostPath, want: "/sys/fs/cgroup"},
		"a sibling with its prefix": {mounts: "9 8 0:30 " + hostPath + " /sys/fs/cgroup ro - cgroup2 cgroup rw\n", cgroup: "0::" + hostPath + "x\n", err: "not below any mount"},
		"escapes":                   {mounts: `9 8 0:30 / /my\040cgroups\134\011 rw - cgroup2 none rw` + "\n", cgroup: "0::/a b:c\n", want: "/my cgroups\\\t/a b:c"},
		"the last mount hides":      {mounts: unifiedMount + "36 24 0:30 / /other rw - cgroup2 cgroup2 rw\n", cgroup: "0::/a\n", want: "/other/a"},
		"version 1 only":            {mounts: oldMounts, cgroup: "4:memory:/a\n", err: "cgroup v2 is not mounted"},
		"no membership":             {mounts: unifiedMount, cgroup: "4:memory:/a\n", err: "names no cgroup of version 2"},
		"above the namespace":       {mounts: unifiedMount, cgroup: "0::/../other\n", err: "not below any mount"},
		"mounted from above":        {mounts: "9 8 0:30 /../.. /sys/fs/cgroup rw - cgroup2 cgroup rw\n", cgroup: "0::/\n", err: "not below any mount"},
		"removed":                   {mounts: unifiedMount, cgroup: "0::/a (deleted)\n", err: "was removed"},
		"rubbish":                   {mounts: "x\n - \n1 2 3 - cgroup2\n" + `9 8 0:30 / /a\04 rw - cgroup2` + "\n", cgroup: "x\n::\n0::/a\n", want: `/a\04/a`},
	} {
		got, err := parseMembership(test.cgroup).directory(parseMounts(test.mounts))
		if got != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

func TestControllersOfVersion1(t *testing.T) {
	m := parseMembership("12:cpu,cpuacct:/a\n4:memory:/b:c\n1:name=systemd:/\n0::/d\n")
	if !m.old["cpu"] || !m.old["cpuacct"] || !m.old["memory"] || m.old["pids"] || m.path != "/d" {
		t.Errorf("%+v", m)
	}
}
