import { useEffect, useState } from 'preact/hooks'
import { follow } from '../api/follow.ts'
import { type DeliveryRowFragment, deliveriesLive } from '../operations.ts'
import { type Noted, noted, notedSince } from './noted-changes.ts'

const SHOWN_EVERY_MS = 250

/** Calls back with deliveries of the account as they change, the latest state of each, a few times a second at most. */
export function followDeliveries(
  filter: { readonly jobId?: string },
  onChange: (changed: ReadonlyMap<string, DeliveryRowFragment>) => void,
): () => void {
  let waiting = new Map<string, DeliveryRowFragment>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const show = (): void => {
    timer = undefined
    const changed = waiting
    waiting = new Map()
    onChange(changed)
  }
  const end = follow(deliveriesLive, { filter }, ({ deliveriesUpdated }) => {
    waiting.set(deliveriesUpdated.id, deliveriesUpdated)
    timer ??= setTimeout(show, SHOWN_EVERY_MS)
  })
  return () => {
    clearTimeout(timer)
    end()
  }
}

/**
 * The rows of a page (the same array until it is loaded anew) as they change, and how many began since it was loaded. Rows stay where they
 * are. @param askedAt when they were asked for: what changed since, the answer may not know
 * @param jobId of whose deliveries they are; of the whole account's without it
 */
export function useLiveDeliveries(
  loaded: readonly DeliveryRowFragment[],
  askedAt: number,
  jobId?: string,
): {
  readonly rows: readonly DeliveryRowFragment[]
  readonly newer: number
} {
  const [changed, setChanged] = useState<Noted<DeliveryRowFragment>>(new Map())
  useEffect(() => setChanged((before) => notedSince(before, askedAt)), [loaded])
  useEffect(() => {
    const filter = jobId === undefined ? {} : { jobId }
    return followDeliveries(filter, (some) => setChanged((before) => noted(before, some, performance.now())))
  }, [jobId])
  const newest = loaded[0]?.id ?? ''
  return {
    rows: loaded.map((row) => changed.get(row.id)?.row ?? row),
    newer: [...changed.keys()].filter((id) => id > newest).length,
  }
}
