import { useMutation, useQuery, useSubscription } from '@urql/preact'
import { Fragment } from 'preact'
import { messageOf } from './client.ts'
import {
  DeliveriesDocument,
  type DeliveryRowFragment,
  JobDeliveriesDocument,
  JobDocument,
  JobUpdatesDocument,
  RedeliverDocument,
  ViewerDocument,
} from './gql/graphql.ts'
import { Card, number, Problem, Status, seconds, time, titleOf } from './parts.tsx'
import { useLiveList } from './use-live-list.ts'

/** The query shows the job; the subscriptions change it in the cache. */
export function JobPage({ id }: { id: string }) {
  useSubscription({ query: JobUpdatesDocument, variables: { id } })
  const [{ data, error }] = useQuery({ query: JobDocument, variables: { id }, requestPolicy: 'cache-and-network' })
  const [{ data: viewer }] = useQuery({ query: ViewerDocument })
  const job = data?.job
  if (!job)
    return <Card title="Job">{error ? <Problem message={messageOf(error)} /> : <p class="quiet">Loading …</p>}</Card>
  const facts = {
    Status: <Status status={job.status} />,
    Job: id,
    Endpoint: job.endpointKey,
    Accepted: time(job.createdAt),
    Took: seconds(job.durationMs),
    Cost: `${number(job.cost)} credits`,
  }
  return (
    <>
      <Card title={titleOf(job)}>
        <dl>
          {Object.entries(facts).map(([name, fact]) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{fact}</dd>
            </Fragment>
          ))}
        </dl>
        <Problem message={job.error} />
      </Card>
      <Card title="Artifacts">
        {job.artifacts.length === 0 && <p class="quiet">{job.completedAt ? 'None.' : 'None yet.'}</p>}
        {job.artifacts.map(({ id, output, contentType, bytes, durationMs, url }) => (
          <div key={id}>
            {/* biome-ignore lint/a11y/useMediaCaption: the text of the speech is the job's title */}
            {contentType.startsWith('audio/') && <audio controls preload="metadata" src={url} aria-label={output} />}
            <a href={url}>{output}</a>{' '}
            <span class="quiet">
              {contentType}, {number(bytes)} bytes, {seconds(durationMs)}
            </span>
          </div>
        ))}
      </Card>
      <Card title="Attempts">
        {job.attemptHistory.length === 0 && (
          <p class="quiet">{job.completedAt ? 'No worker took it.' : 'No worker has taken it yet.'}</p>
        )}
        <ul class="rows">
          {job.attemptHistory.map(({ number, startedAt, endedAt, outcome, error }) => (
            <li key={number}>
              <span>{number}</span>
              <span>{outcome?.toLowerCase() ?? 'running'}</span>
              <span class="quiet">{startedAt && time(startedAt, endedAt)}</span>
              {error && <span class="reason">{error}</span>}
            </li>
          ))}
        </ul>
      </Card>
      {viewer?.viewer?.scopes.includes('account:admin') && <Deliveries id={id} />}
    </>
  )
}

function Deliveries({ id }: { id: string }) {
  const { rows, problem } = useLiveList({
    follow: (client, beginning) => client.subscription(DeliveriesDocument, { jobId: id, ...beginning }),
    ask: (client) => client.query(JobDeliveriesDocument, { id }, { requestPolicy: 'network-only' }),
    rowsOf: ({ job }) => job.deliveries,
  })
  return (
    <Card title="Webhook deliveries">
      <Problem message={problem} />
      {!rows?.length && !problem && <p class="quiet">{rows ? 'None.' : 'Loading …'}</p>}
      {rows?.map((delivery) => (
        <Delivery key={delivery.id} {...delivery} />
      ))}
    </Card>
  )
}

function Delivery({ id, url, state, outcome, attempts }: DeliveryRowFragment) {
  const [{ data, fetching, error }, redeliver] = useMutation(RedeliverDocument)
  const result = data?.redeliverWebhook
  return (
    <article aria-label={`Delivery to ${url}`}>
      <div class="line">
        <span class={`status ${state.toLowerCase()}`}>{state.toLowerCase()}</span>
        <span>{url}</span>
        {state === 'FAILED' && <span class="quiet">{outcome}</span>}
        <button
          type="button"
          class="plain"
          disabled={fetching || state === 'PENDING'}
          onClick={() => redeliver({ id })}
        >
          Send again
        </button>
      </div>
      <Problem message={messageOf(error) ?? (result?.__typename === 'RequestError' ? result.message : null)} />
      <ul class="rows">
        {attempts.map((attempt) => (
          <li key={`${attempt.round} ${attempt.number}`}>
            <span>
              Round {attempt.round}, attempt {attempt.number}
            </span>
            <span>{attempt.responseStatus ?? attempt.outcome ?? 'running'}</span>
            <span class="quiet">{time(attempt.startedAt)}</span>
            <span class="end">{seconds(attempt.durationMs)}</span>
          </li>
        ))}
      </ul>
    </article>
  )
}
