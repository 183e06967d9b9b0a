import { useEffect } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { at } from '../api/base.ts'
import { useAction } from '../api/use-action.ts'
import { useQuery } from '../api/use-query.ts'
import { type DeliveryRowFragment, delivery as deliveryQuery, redeliver } from '../operations.ts'
import { Empty } from '../parts/empty.tsx'
import { Failure } from '../parts/failure.tsx'
import { duration, exactTime, shortId } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { Moment } from '../parts/moment.tsx'
import { Crumb, Page } from '../parts/page.tsx'
import { ShortId } from '../parts/short-id.tsx'
import { StateMark } from '../parts/state-mark.tsx'
import { NextAttempt } from './next-attempt.tsx'
import { outcomeWords } from './outcome-words.ts'
import { followDeliveries } from './use-live-deliveries.ts'

/** What ended while the subscription was opened is asked for once more. */
const LOOK_AGAIN_MS = 1500

/** One delivery: every attempt with what the receiver answered. */
export function DeliveryPage({ id = '' }: { id?: string }) {
  const query = useQuery(deliveryQuery, { id })
  const node = query.data?.node
  const delivery = node?.__typename === 'WebhookDelivery' ? node : null
  const again = useAction(async () => {
    await ask(redeliver, { id })
    query.reload()
  })
  const isPending = delivery?.state === 'PENDING'
  const jobId = delivery?.jobId ?? null
  useEffect(() => {
    if (!isPending || jobId === null) return
    const timer = setTimeout(query.reload, LOOK_AGAIN_MS)
    const end = followDeliveries({ jobId }, (changed) => {
      const latest = changed.get(id)
      if (latest !== undefined)
        query.replace((data) => ({ ...data, node: { __typename: 'WebhookDelivery', ...latest } }))
    })
    return () => {
      clearTimeout(timer)
      end()
    }
  }, [isPending, jobId])
  const actions = delivery !== null && (
    <button type="button" class="button primary" disabled={isPending || again.isOff} onClick={() => again.run()}>
      <Icon name="send" /> Send again
    </button>
  )
  return (
    <Page title={shortId(id)} crumb={<Crumb href={at('/webhooks')}>Webhooks</Crumb>} actions={actions}>
      {again.failure !== null && <Failure failure={again.failure} />}
      <Load query={query} skeleton={<SkeletonRows rows={4} />}>
        {() => (delivery === null ? <Gone /> : <DeliveryBody delivery={delivery} />)}
      </Load>
    </Page>
  )
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
    <h2 class="section-title">Attempts</h2>
    {delivery.attempts.length === 0 && <p class="muted">None yet.</p>}
    <ol class="attempts">
      {delivery.attempts.toReversed().map((attempt) => (
        <AttemptCard key={`${attempt.round}.${attempt.number}`} attempt={attempt} />
      ))}
    </ol>
  </>
)

const Facts = ({ delivery }: { delivery: DeliveryRowFragment }) => (
  <dl class="facts">
    <div class="long">
      <dt>To</dt>
      <dd>{String(delivery.url)}</dd>
    </div>
    <div>
      <dt>Job</dt>
      <dd>{delivery.test ? 'none' : <ShortId id={delivery.jobId} href={at(`/jobs/${delivery.jobId}`)} />}</dd>
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

const AttemptCard = ({ attempt }: { attempt: DeliveryRowFragment['attempts'][number] }) => (
  <li class="card card-body stack">
    <div class="row spread">
      <div class="row">
        <StateMark
          state={attempt.outcome === 'succeeded' ? 'SUCCEEDED' : attempt.outcome ? 'FAILED' : 'PENDING'}
          label={
            attempt.responseStatus ? String(attempt.responseStatus) : attempt.outcome ? 'no answer' : 'in progress'
          }
        />
        <span>{outcomeWords(attempt.outcome ?? null)}</span>
      </div>
      <span class="faint small-text">
        Round {attempt.round}, attempt {attempt.number} · <Moment at={attempt.startedAt} /> ·{' '}
        {duration(attempt.durationMs)}
      </span>
    </div>
    {attempt.response && (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
      <pre class="response" dir="auto" tabIndex={0}>
        {attempt.response}
      </pre>
    )}
  </li>
)
