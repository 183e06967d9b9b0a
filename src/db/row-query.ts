/** Columns and relations that a caller wants of the rows, in Prisma's form. */
export interface RowQuery {
  readonly select?: object
  readonly include?: object
}

/** Selects every column of the view, and the columns and relations of the query. */
export const selectOf = <View extends object>(view: View, query: RowQuery | undefined): View => ({
  ...view,
  ...query?.select,
})
