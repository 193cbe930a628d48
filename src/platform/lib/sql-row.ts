/** A row in the type that SqlStorage requires: a mapped type has the index signature that an interface lacks. */
export type Row<Of> = { [Column in keyof Of]: Of[Column] & SqlStorageValue }
