package foreign

// ImportUpTo is Import with another limit than MaxImport.
var ImportUpTo = importUpTo
