import { useMemo, useState } from 'preact/hooks'
import { timeNow } from '../api/clock.ts'
import { comebacks } from '../api/follow.ts'
import { useQuery } from '../api/use-query.ts'
import { ClearFilters, DroppedNotice } from '../jobs/jobs-toolbar.tsx'
import { BulkPlace } from '../lists/bulk-place.tsx'
import { NewerButton } from '../lists/newer-button.tsx'
import { ShorterTime } from '../lists/shorter-time.tsx'
import { useCalmReload } from '../lists/use-calm-reload.ts'
import { useRowLetters } from '../lists/use-row-letters.ts'
import { useSelection } from '../lists/use-selection.ts'
import { type DeliveriesQuery, deliveries as deliveriesQuery, type WebhookDeliveriesFilter } from '../operations.ts'
import { Empty } from '../parts/empty.tsx'
import { count } from '../parts/format.ts'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { Pager } from '../parts/pager.tsx'
import { pageOf, useAddress } from '../parts/use-address.ts'
import { DELIVERY_FILTERS, deliveriesAddress, deliveriesFilterOf, hasFailed } from './deliveries-filter.ts'
import { DeliveriesTable } from './deliveries-table.tsx'
import { DeliveriesToolbar, StateChoice } from './deliveries-toolbar.tsx'
import { DeliverySelection } from './delivery-selection.tsx'
import { ResendMatching } from './resend-matching.tsx'
import { useLiveDeliveries } from './use-live-deliveries.ts'

const PAGE = 50
const FILLED_MS = 2000
const NO_FILTER = Object.fromEntries([...DELIVERY_FILTERS, 'after', 'before'].map((name) => [name, null]))
const NONE: Readonly<Record<string, string>> = {
  pending: 'No delivery is pending',
  succeeded: 'No delivery has succeeded',
  failed: 'No delivery has failed',
}

/** The deliveries that the address asks for. */
function useListed() {
  const { query } = useAddress()
  // A window such as the last hour is that of the last look.
  const [looks, setLooks] = useState(0)
  const seen = [JSON.stringify(query), looks, comebacks.value]
  const { filter, dropped } = useMemo(() => deliveriesFilterOf(query, timeNow()), seen)
  const list = useQuery(deliveriesQuery, { ...filter, ...pageOf(query, PAGE) })
  const reload = (): void => {
    setLooks(looks + 1)
    list.reload()
  }
  return { filter, dropped, list, reload }
}

/** Lists deliveries: the address filters them, the page follows them, and users send many again at once. */
export function Deliveries() {
  const { query, change } = useAddress()
  const { filter, dropped, list, reload } = useListed()
  const isNarrow = DELIVERY_FILTERS.some((name) => query[name])
  // Without a filter that was dropped, more would be sent than was asked for.
  const isOffered = hasFailed(filter) && dropped.length === 0 && !list.isOther
  const place = { isFirst: !query.after && !query.before, isOther: list.isOther }
  return (
    <section class="section" aria-labelledby="deliveries">
      <div class="row spread section-head">
        <h2 id="deliveries">Last 30 days</h2>
        {isOffered && list.data && (
          <ResendMatching
            key={DELIVERY_FILTERS.map((name) => query[name]).join(' ')}
            filter={{ ...filter, states: ['FAILED'] }}
            isEmpty={list.data.webhookDeliveries.totalCount === 0}
            reload={reload}
          />
        )}
      </div>
      <StateChoice />
      <DeliveriesToolbar>{isNarrow && <ClearFilters onClear={() => change(NO_FILTER)} />}</DeliveriesToolbar>
      <DroppedNotice names={dropped} />
      <ShorterTime failure={list.failure} />
      <BulkPlace list="deliveries" />
      <Load query={list} skeleton={<SkeletonRows />}>
        {({ webhookDeliveries: { edges, pageInfo, totalCount } }) => (
          <>
            <LiveDeliveries {...{ edges, filter, ...place }} askedAt={list.askedAt} onReload={reload} />
            {edges.length > 0 && (
              <Pager pageInfo={pageInfo} onMove={(cursors) => change(cursors)}>
                {`${count(totalCount)} ${totalCount === 1 ? 'delivery' : 'deliveries'}`}
              </Pager>
            )}
          </>
        )}
      </Load>
    </section>
  )
}

interface LiveDeliveriesProps {
  readonly edges: DeliveriesQuery['webhookDeliveries']['edges']
  readonly filter: WebhookDeliveriesFilter
  readonly isFirst: boolean
  readonly askedAt: number
  /** The rows are those of another filter or page. */
  readonly isOther: boolean
  readonly onReload: () => void
}

function LiveDeliveries({ edges, filter, isFirst, askedAt, isOther, onReload }: LiveDeliveriesProps) {
  const { query } = useAddress()
  const loaded = useMemo(() => edges.map(({ node }) => node), [edges])
  const isPaused = query.live === 'off'
  const { rows, newer } = useLiveDeliveries(loaded, askedAt, { filter, isPaused, onMissed: onReload })
  const ids = rows.map(({ id }) => id)
  const selection = useSelection(ids, isOther)
  useRowLetters(selection.toggle)
  // Among no rows, none that is new moves any.
  useCalmReload(rows.length === 0 && isFirst ? newer : null, FILLED_MS, onReload)
  if (rows.length === 0) return <NoDeliveries />
  return (
    <>
      {isFirst && <NewerButton newer={newer} onReload={onReload} />}
      <DeliveriesTable deliveries={rows} selection={selection} query={deliveriesAddress(query)} />
      {selection.selected.size > 0 && <DeliverySelection deliveries={rows} selection={selection} onDone={onReload} />}
    </>
  )
}

function NoDeliveries() {
  const { query, change } = useAddress()
  const isNarrow = DELIVERY_FILTERS.some((name) => name !== 'state' && query[name])
  const title = isNarrow ? 'No delivery matches' : NONE[query.state ?? '']
  const clear = (
    <button type="button" class="button" onClick={() => change(NO_FILTER)}>
      Show all deliveries
    </button>
  )
  return (
    <Empty title={title ?? 'Nothing has been delivered'} action={title && clear}>
      {isNarrow
        ? 'There may be deliveries, but none with all of these properties.'
        : 'When a job ends, its result is posted to your URL and listed here for 30 days, with every attempt.'}
    </Empty>
  )
}
