package record

import "testing"

// FuzzDecode looks for bytes that make Decode panic, or that it accepts though
// what it read from them does not come back the same.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(`{"name":"\ud800","count":1e3,"ticks":18446744073709551616}`))
	f.Add([]byte("{\"name\":\"\xff\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var v, back outer
		if Decode(data, &v) != nil {
			return
		}
		again, err := Encode(v)
		if err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		if err := Decode(again, &back); err != nil {
			t.Errorf("%q is accepted, and what comes back is not: %q: %v", data, again, err)
		}
	})
}
