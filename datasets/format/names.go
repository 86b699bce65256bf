package format

import (
	"bytes"
	"encoding/csv"
	"io"
	"slices"
)

// namedRows is the number of rows of JSON Lines that Names reads: later objects may have members
// that the first lacks.
const namedRows = 1000

// Names lists the columns of a file, in the order of the header, the schema or the first objects. A
// parquet record is listed by its values, such as "labels.id". An empty file of JSON Lines has no
// names, which is not an error.
func Names(file string) ([]string, error) {
	read, err := readerOf(file)
	if err != nil {
		return nil, err
	}
	return read.names(file)
}

func namesTSV(file string) ([]string, error) {
	for line, err := range Lines(file) {
		if err != nil {
			return nil, err
		}
		return tabbed(line)
	}
	return nil, nil
}

func namesCSV(file string) ([]string, error) {
	f, err := Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := &recordReader{r: f}
	in.begin()
	names, err := csv.NewReader(in).Read()
	if err == io.EOF {
		return nil, nil
	}
	if err != nil {
		return nil, csvError(file, 0, err)
	}
	return names, nil
}

func namesParquet(file string) ([]string, error) {
	pf, f, err := openParquet(file, jumpBuffer)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return namesOf(leaves(pf)), nil
}

// namesJSON skips lines that are not objects: reading the records reports them.
func namesJSON(file string) (names []string, err error) {
	rows := 0
	for line, err := range Lines(file) {
		if err != nil {
			return nil, err
		}
		text := bytes.TrimSpace(line.Text)
		if len(text) == 0 {
			continue
		}
		if rows++; rows > namedRows || checkObject(text) != nil {
			break
		}
		eachMember(text, func(key string, _ []byte) {
			if !slices.Contains(names, key) {
				names = append(names, key)
			}
		})
	}
	return names, nil
}
