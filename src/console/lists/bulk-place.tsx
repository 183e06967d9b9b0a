import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

/** The results of the last action on several rows. They outlive the list, so the way back from a row leads to them. */
export const bulkNotices = {
  jobs: signal<ComponentChildren>(null),
  deliveries: signal<ComponentChildren>(null),
}

export type BulkList = keyof typeof bulkNotices

/** Where that is said, above the list: it is there before there is anything to say, so that it is read out. */
export const BulkPlace = ({ list }: { list: BulkList }) => <div role="status">{bulkNotices[list].value}</div>
