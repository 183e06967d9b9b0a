import { useEffect, useRef, useState } from 'preact/hooks'
import { follow } from '../api/follow.ts'
import { type Noted, noted, notedSince } from '../api/socket/noted-changes.ts'
import { type DeliveryRowFragment, deliveriesLive, type WebhookDeliveriesFilter } from '../operations.ts'
import { newerDeliveries } from './newer-deliveries.ts'

const ALL: WebhookDeliveriesFilter = {}

/** Calls back with deliveries of the account as they change, the latest state of each, a few times a second at most; and with deleted ones. */
const followDeliveries = (
  filter: WebhookDeliveriesFilter,
  onChange: (changed: ReadonlyMap<string, DeliveryRowFragment>, removedIds: readonly string[]) => void,
): (() => void) =>
  follow(deliveriesLive, { filter }, ({ deliveryChanges: { deliveries, removedIds } }) =>
    onChange(new Map(deliveries.map((row) => [row.id, row])), removedIds),
  )

interface Followed {
  /** Absent: all deliveries of the account. */
  readonly filter?: WebhookDeliveriesFilter
  readonly isPaused?: boolean
  /** Rows may have changed while it was paused. */
  readonly onMissed?: () => void
}

/**
 * The rows of a page (the same array until it is loaded anew) as they change, and how many began since it was loaded. Rows stay where they
 * are. @param askedAt when they were asked for: what changed since, the answer may not know
 */
export function useLiveDeliveries(
  loaded: readonly DeliveryRowFragment[],
  askedAt: number,
  { filter = ALL, isPaused = false, onMissed }: Followed = {},
): {
  readonly rows: readonly DeliveryRowFragment[]
  readonly newer: number
} {
  const [changed, setChanged] = useState<Noted<DeliveryRowFragment>>(new Map())
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set())
  const wasPaused = useRef(false)
  // The subscription must see deliveries leave the filtered states or outcomes.
  const { states: _states, outcomes: _outcomes, ...followed } = filter
  const key = JSON.stringify(followed)
  // Earlier news belongs to other deliveries.
  useEffect(() => setChanged(new Map()), [key])
  useEffect(() => setChanged((before) => notedSince(before, askedAt)), [loaded])
  useEffect(() => {
    if (wasPaused.current && !isPaused) onMissed?.()
    wasPaused.current = isPaused
    if (isPaused) return
    return followDeliveries(followed, (some, removedIds) => {
      setChanged((before) => noted(before, some, performance.now()))
      if (removedIds.length > 0) setGone((before) => new Set([...before, ...removedIds]))
    })
  }, [key, isPaused])
  return {
    rows: loaded.filter(({ id }) => !gone.has(id)).map((row) => changed.get(row.id)?.row ?? row),
    newer: newerDeliveries(loaded, new Map([...changed].filter(([id]) => !gone.has(id))), filter),
  }
}
