import { FILTERS } from './jobs-filter.ts'

type Query = Readonly<Record<string, string | undefined>>

/** A job's address keeps these parameters of its list: `?status=failed`; empty without filters and order. */
export const listQuery = (query: Query): string => keptQuery(query, [...FILTERS, 'sort'])

/** These parameters of an address, as another one has them. */
export function keptQuery(query: Query, names: readonly string[]): string {
  const kept = names.flatMap((name) => (query[name] ? [[name, query[name]]] : []))
  return kept.length === 0 ? '' : `?${new URLSearchParams(kept as [string, string][])}`
}

const PLACES: readonly (readonly [prefix: RegExp, path: (id: string) => string])[] = [
  [/^job_[a-z0-9]{26}$/, (id) => `/jobs/${id}`],
  [/^msg_[a-z0-9]{26}$/, (id) => `/webhooks/deliveries/${id}`],
  [/^key_[a-z0-9]{26}$/, (id) => `/keys?key=${id}`],
  [/^acct_[a-z0-9]{26}$/, (id) => `/operator/accounts/${id}`],
]

/** The screen of a whole id; null where the text is none. */
export function placeOf(text: string): string | null {
  const id = text.trim().toLowerCase()
  return PLACES.find(([pattern]) => pattern.test(id))?.[1](id) ?? null
}
