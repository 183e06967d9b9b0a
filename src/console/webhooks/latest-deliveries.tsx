import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { at } from '../api/base.ts'
import type { Loaded } from '../api/use-query.ts'
import { useCalmReload } from '../lists/use-calm-reload.ts'
import type { DeliveriesQuery } from '../operations.ts'
import { Empty } from '../parts/empty.tsx'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { DeliveriesTable } from './deliveries-table.tsx'
import { useLiveDeliveries } from './use-live-deliveries.ts'

const NEW_MS = 5000

interface LatestDeliveriesProps {
  readonly list: Loaded<DeliveriesQuery>
  /** Where there are none yet. */
  readonly action: ComponentChildren
  /** The account has one: without it there is nowhere to send a test. */
  readonly hasUrl: boolean
}

/** The last few deliveries as they change, with the way to all of them. */
export const LatestDeliveries = ({ list, action, hasUrl }: LatestDeliveriesProps) => (
  <section class="card" aria-labelledby="latest">
    <div class="card-head">
      <h2 id="latest">Latest deliveries</h2>
      <a class="button small" href={at('/webhooks/deliveries')}>
        See all
      </a>
    </div>
    <Load query={list} skeleton={<SkeletonRows rows={3} />}>
      {({ webhookDeliveries: { edges } }) => (
        <Rows {...{ edges, action, hasUrl }} askedAt={list.askedAt} onReload={list.reload} />
      )}
    </Load>
  </section>
)

interface RowsProps extends Pick<LatestDeliveriesProps, 'action' | 'hasUrl'> {
  readonly edges: DeliveriesQuery['webhookDeliveries']['edges']
  readonly askedAt: number
  readonly onReload: () => void
}

function Rows({ edges, action, hasUrl, askedAt, onReload }: RowsProps) {
  const loaded = useMemo(() => edges.map(({ node }) => node), [edges])
  const { rows, newer } = useLiveDeliveries(loaded, askedAt)
  useCalmReload(newer, NEW_MS, onReload)
  if (rows.length > 0) return <DeliveriesTable deliveries={rows} />
  return (
    <Empty title="Nothing has been delivered" action={action}>
      When a job ends, its result is posted to your URL and listed here for 30 days, with every attempt.
      {!hasUrl && ' Save a URL to send a test.'}
    </Empty>
  )
}
