import type { Noted } from '../api/socket/noted-changes.ts'
import type { WebhookDeliveriesFilter } from '../operations.ts'

interface Row {
  readonly id: string
  readonly state: string
  readonly outcome?: string | null
}

/**
 * How many of what was heard would stand in the first page of a list, and do not: what has begun since, and, where the list is of some states
 * or outcomes, also what has come into them. @param loaded the rows of that page, newest first
 */
export function newerDeliveries(loaded: readonly Row[], heard: Noted<Row>, filter: WebhookDeliveriesFilter): number {
  const { states, outcomes } = filter
  const known = new Set(loaded.map(({ id }) => id))
  const place = (states || outcomes ? loaded.at(-1) : loaded[0])?.id ?? ''
  const belongs = ({ state, outcome }: Row): boolean =>
    (!states || states.some((one) => one === state)) && (!outcomes || outcomes.includes(outcome ?? ''))
  return [...heard].filter(([id, { row }]) => !known.has(id) && id > place && belongs(row)).length
}
