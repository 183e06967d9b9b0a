import { useLocation } from 'preact-iso/router'

interface Address {
  readonly query: Readonly<Record<string, string>>
  /** Changes some of the query; null and '' take a parameter out. Nothing is written later: Back stays where it was. */
  readonly change: (changes: Readonly<Record<string, string | null>>, replace?: boolean) => void
}

/** The state of a screen that lies in its address. */
export function useAddress(): Address {
  const { path, query, route } = useLocation()
  return { query, change: (changes, replace) => route(addressOf(path, query, changes), replace) }
}

/** The page of a list that the address asks for, as arguments of GraphQL: so many rows after a cursor, or before one. */
export const pageOf = ({ before, after }: Address['query'], rows: number) =>
  before ? { last: rows, before } : { first: rows, ...(after && { after }) }

/** The address with these changes, its parameters in a fixed order. */
function addressOf(
  path: string,
  query: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | null>>,
): string {
  const merged = Object.entries({ ...query, ...changes }).filter(([, value]) => value !== null && value !== '')
  const sorted = merged.sort(([a], [b]) => (a < b ? -1 : 1)) as [string, string][]
  const text = new URLSearchParams(sorted).toString()
  return text === '' ? path : `${path}?${text}`
}
