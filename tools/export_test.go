package tools

// Members returns names and values of a valid JSON object.
func Members(object []byte) (names, values []string, err error) {
	list, err := split(object)
	for _, m := range list {
		names, values = append(names, m.name), append(values, string(m.value))
	}
	return names, values, err
}
