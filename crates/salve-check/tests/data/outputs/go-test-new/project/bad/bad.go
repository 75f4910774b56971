package bad

func open( {
}
