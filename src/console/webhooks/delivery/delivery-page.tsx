import { useEffect, useMemo } from 'preact/hooks'
import { ask } from '../../api/ask.ts'
import { at } from '../../api/base.ts'
import { useAction } from '../../api/use-action.ts'
import { type Loaded, useQuery } from '../../api/use-query.ts'
import { jobTitle } from '../../jobs/job-name.ts'
import { type DeliveryQuery, type DeliveryRowFragment, delivery as deliveryQuery, redeliver } from '../../operations.ts'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { exactTime, isolated } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { Load, SkeletonRows } from '../../parts/load.tsx'
import { Crumb, Page } from '../../parts/page.tsx'
import { ShortId } from '../../parts/short-id.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { deliveriesAddress } from '../deliveries-filter.ts'
import { deliveryLang, deliveryName } from '../delivery-name.ts'
import { outcomeWords } from '../outcome-words.ts'
import { useLiveDeliveries } from '../use-live-deliveries.ts'
import { AttemptRounds } from './attempt-rounds.tsx'
import { DeliveryNeighbours } from './delivery-neighbours.tsx'
import { NextAttempt } from './next-attempt.tsx'
import { SentCard } from './sent-card.tsx'

/** A delivery may end while the subscription opens, so the page asks once more. */
const LOOK_AGAIN_MS = 1500

/** One delivery: every attempt with what the receiver answered. */
export const DeliveryPage = ({ id = '' }: { id?: string }) => <OneDelivery key={id} id={id} />

function OneDelivery({ id }: { id: string }) {
  const { query: address } = useAddress()
  const query = useQuery(deliveryQuery, { id })
  const delivery = useFollowed(query)
  const again = useAction(async () => {
    await ask(redeliver, { id })
    query.reload()
  })
  const isPending = delivery?.state === 'PENDING'
  const actions = delivery !== null && (
    <>
      <DeliveryNeighbours id={id} />
      <button type="button" class="button primary" aria-disabled={isPending || again.isOff} onClick={() => again.run()}>
        <Icon name="send" /> Send again
      </button>
    </>
  )
  return (
    <Page
      title={titleOf(delivery)}
      crumb={<Crumb href={at(`/webhooks/deliveries${deliveriesAddress(address)}`)}>Deliveries</Crumb>}
      actions={actions}
    >
      {again.failure !== null && <Failure failure={again.failure} />}
      <Load query={query} skeleton={<SkeletonRows rows={4} />}>
        {() => (delivery === null ? <Gone /> : <DeliveryBody delivery={delivery} />)}
      </Load>
    </Page>
  )
}

function titleOf(delivery: DeliveryRowFragment | null): string {
  if (delivery === null) return 'Delivery'
  return delivery.test ? 'Test delivery' : `Delivery: ${isolated(jobTitle(deliveryName(delivery)))}`
}

/** The delivery with what becomes of it, also of one that has ended: it may be sent again, from another tab as well. */
function useFollowed({ data, askedAt, reload }: Loaded<DeliveryQuery>): DeliveryRowFragment | null {
  const node = data?.node
  const loaded = useMemo(() => (node?.__typename === 'WebhookDelivery' ? [node] : []), [node])
  const jobId = loaded[0]?.jobId ?? null
  const { rows } = useLiveDeliveries(loaded, askedAt, { filter: { jobId }, isPaused: jobId === null })
  const delivery = rows[0] ?? null
  const isPending = delivery?.state === 'PENDING'
  useEffect(() => {
    const timer = isPending && setTimeout(reload, LOOK_AGAIN_MS)
    return () => clearTimeout(timer || undefined)
  }, [isPending])
  return delivery
}

const Gone = () => (
  <Empty title="No such delivery">
    Deliveries are kept for 30 days. The address may also belong to another account.
  </Empty>
)

const DeliveryBody = ({ delivery }: { delivery: DeliveryRowFragment }) => (
  <>
    <section class="card card-body stack">
      <div class="row">
        <StateMark state={delivery.state} />
        <strong>{outcomeWords(delivery.outcome ?? null)}</strong>
        {delivery.test && <span class="chip">test</span>}
      </div>
      <Facts delivery={delivery} />
    </section>
    <SentCard key={delivery.attempts.at(-1)?.round} id={delivery.id} isPending={delivery.state === 'PENDING'} />
    <AttemptRounds attempts={delivery.attempts} />
  </>
)

const Facts = ({ delivery }: { delivery: DeliveryRowFragment }) => (
  <dl class="facts">
    <div class="long">
      <dt>To</dt>
      <dd>{String(delivery.url)}</dd>
    </div>
    <div class="long">
      <dt>Job</dt>
      <dd>
        <JobOf delivery={delivery} />
      </dd>
    </div>
    <div>
      <dt>webhook-id</dt>
      <dd>
        <ShortId id={delivery.id} />
      </dd>
    </div>
    <div>
      <dt>Created</dt>
      <dd>{exactTime(delivery.createdAt)}</dd>
    </div>
    <div>
      <dt>Next attempt</dt>
      <dd>
        <NextAttempt at={delivery.nextAttemptAt ?? null} />
      </dd>
    </div>
  </dl>
)

function JobOf({ delivery }: { delivery: DeliveryRowFragment }) {
  const { test, job, jobId } = delivery
  if (test) return <>none</>
  const name = deliveryName(delivery)
  if (!job) return <span class="faint">{name}</span>
  return (
    <a href={at(`/jobs/${jobId}`)} title={`${name}, ${jobId}`} dir="auto" lang={deliveryLang(delivery)}>
      {name}
    </a>
  )
}
