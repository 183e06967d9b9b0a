// These conditions make PostgreSQL use the index that begins with the account. With an equality it may scan all accounts' ids
// backwards, because it assumes that an account's rows are evenly spread.

export const ofAccount = (parameter: string, table = ''): string => `${table}account_id = any(array[${parameter}])`

export const inAccount = (direction: Direction, table = ''): string => `${table}account_id ${opposite(direction)}`

export const idsOfAccount = (direction: Direction, table = ''): string =>
  `${inAccount(direction, table)}, ${table}id ${direction}`

/** Twice, because PostgreSQL treats a list of one as an equality. */
export const whereOfAccount = (accountId: string) => ({ accountId: { in: [accountId, accountId] } })

export const orderOfAccount = ({ id }: { readonly id: Direction }) => [{ accountId: opposite(id) }, { id }]

type Direction = 'asc' | 'desc'

const opposite = (direction: Direction): Direction => (direction === 'desc' ? 'asc' : 'desc')
