// An account's rows in the order of their ids, up to a limit: by the index that begins with the account, whatever the planner expects. With an
// equality it may read all ids backwards instead and leave out what is not the account's, since it takes an account's rows for evenly spread:
// the newest rows of an account that is idle lie behind all that others have made since.

/** What rows of the account are, as a condition. @param parameter such as $1 */
export const ofAccount = (parameter: string, table = ''): string => `${table}account_id = any(array[${parameter}])`

/** What such rows are ordered by, before the columns that the direction is about: as an index on `(account_id, … desc)` has them. */
export const inAccount = (direction: Direction, table = ''): string => `${table}account_id ${opposite(direction)}`

/** By their ids: as an index on `(account_id, …, id desc)` has them, and no other one. */
export const idsOfAccount = (direction: Direction, table = ''): string =>
  `${inAccount(direction, table)}, ${table}id ${direction}`

/** The same for Prisma Client. Twice, since PostgreSQL takes a list of one for an equality. */
export const whereOfAccount = (accountId: string) => ({ accountId: { in: [accountId, accountId] } })

/** The same for Prisma Client. */
export const orderOfAccount = ({ id }: { readonly id: Direction }) => [{ accountId: opposite(id) }, { id }]

type Direction = 'asc' | 'desc'

const opposite = (direction: Direction): Direction => (direction === 'desc' ? 'asc' : 'desc')
