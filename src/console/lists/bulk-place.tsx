import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

/** What came of the last action on several rows of a list. It outlives the list, so that the way back from one of them leads to it. */
export const bulkNotices = {
  jobs: signal<ComponentChildren>(null),
  deliveries: signal<ComponentChildren>(null),
}

export type BulkList = keyof typeof bulkNotices

/** Where that is said, above the list: it is there before there is anything to say, so that it is read out. */
export const BulkPlace = ({ list }: { list: BulkList }) => <div role="status">{bulkNotices[list].value}</div>
