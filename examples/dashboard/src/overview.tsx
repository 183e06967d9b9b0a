import { useMutation, useQuery, useSubscription } from '@urql/preact'
import { useMemo, useState } from 'preact/hooks'
import { byDay, dayBefore } from './days.ts'
import {
  DaysDocument,
  type JobRowFragment,
  SubmitDocument,
  UnfinishedJobsDocument,
  type UnfinishedJobsSubscription,
  UnfinishedListDocument,
  ViewerDocument,
} from './gql/graphql.ts'
import { Card, JobRows, number, Problem } from './parts.tsx'

const DAYS = 14
/** As many as the query asks for. */
const MOST = 100

export const Overview = ({ connection }: { connection: number }) => (
  <>
    <Submit />
    <Unfinished key={connection} />
    <Days />
  </>
)

/** Null: it has left the list. */
type Heard = ReadonlyMap<string, JobRowFragment | null>

const follow = (heard: Heard = new Map(), { jobChanges }: UnfinishedJobsSubscription): Heard =>
  new Map<string, JobRowFragment | null>([
    ...heard,
    ...jobChanges.removedIds.map((id) => [id, null] as const),
    ...jobChanges.jobs.map((job) => [job.id, job] as const),
  ])

/** The subscription begins with a part of the list, and what it has said is newer than the answer of the query. */
function Unfinished() {
  const [{ data: heard, error }] = useSubscription({ query: UnfinishedJobsDocument }, follow)
  const [{ data, error: unread }] = useQuery({ query: UnfinishedListDocument, requestPolicy: 'network-only' })
  const rows = new Map<string, JobRowFragment | null>(data?.viewer?.jobs?.nodes.map((job) => [job.id, job]))
  for (const [id, job] of heard ?? []) rows.set(id, job)
  const jobs = [...rows.values()]
    .filter((job) => job !== null)
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt))
    .slice(0, MOST)
  return (
    <Card title="Unfinished now">
      <Problem message={error?.message ?? unread?.message} />
      <JobRows jobs={jobs} none={data ? 'Nothing waits or runs.' : 'Loading …'} />
      {jobs.length === MOST && (
        <p class="quiet">
          The newest {MOST}; all are under <a href="#/jobs">Jobs</a>.
        </p>
      )}
    </Card>
  )
}

function Submit() {
  const [{ data }] = useQuery({ query: ViewerDocument })
  const [{ data: sent, fetching, error }, submit] = useMutation(SubmitDocument)
  const [form, setForm] = useState({ slug: '', voice: '', text: '' })
  const endpoints = data?.viewer?.endpoints ?? []
  const endpoint = endpoints.find(({ slug }) => slug === form.slug) ?? endpoints[0]
  const voice = endpoint?.voices.find(({ slug }) => slug === form.voice) ?? endpoint?.voices[0]
  const result = sent?.submitVoiceJob
  const refused =
    result?.__typename === 'RequestError' ? [result.message, ...result.details.map((one) => one.message)] : []
  return (
    <Card title="Speak a text">
      <form
        onSubmit={async (event) => {
          event.preventDefault()
          if (!endpoint || !voice) return
          const inputs = { text: form.text, [endpoint.voiceInput]: voice.slug }
          const answer = await submit({ slug: endpoint.slug, inputs })
          if (answer.data?.submitVoiceJob.__typename === 'VoiceJobSubmission') setForm({ ...form, text: '' })
        }}
      >
        <label>
          Text
          <textarea
            required
            rows={3}
            value={form.text}
            onInput={(event) => setForm({ ...form, text: event.currentTarget.value })}
          />
        </label>
        <div class="line">
          <label>
            Endpoint
            <select value={endpoint?.slug} onChange={(event) => setForm({ ...form, slug: event.currentTarget.value })}>
              {endpoints.map(({ slug, name }) => (
                <option key={slug} value={slug}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label>
            Voice
            <select value={voice?.slug} onChange={(event) => setForm({ ...form, voice: event.currentTarget.value })}>
              {endpoint?.voices.map(({ slug, name }) => (
                <option key={slug} value={slug}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <button type="submit" disabled={fetching || !voice}>
            Speak
          </button>
        </div>
      </form>
      <Problem message={error?.message ?? refused.join(' ')} />
      {result?.__typename === 'VoiceJobSubmission' && (
        <p class="quiet">
          Submitted as <a href={`#/jobs/${result.jobId}`}>{result.jobId}</a>.
        </p>
      )}
    </Card>
  )
}

function Days() {
  const variables = useMemo(() => {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
    return { from: dayBefore(DAYS - 1).toISOString(), timeZone }
  }, [])
  const [{ data, error }] = useQuery({ query: DaysDocument, variables, requestPolicy: 'cache-and-network' })
  const days = byDay(data?.viewer?.jobStats ?? [], DAYS).map(({ day, group }) => {
    const name = day.toLocaleDateString('en', { month: 'short', day: 'numeric' })
    return { day: name, jobs: group?.jobs ?? 0, credits: group?.credits ?? 0 }
  })
  return (
    <Card title="Last 14 days">
      <Problem message={error?.message} />
      <div class="charts">
        <Bars title="Jobs a day" values={days.map(({ day, jobs }) => [day, jobs])} />
        <Bars title="Credits a day" values={days.map(({ day, credits }) => [day, credits])} />
      </div>
    </Card>
  )
}

function Bars({ title, values }: { title: string; values: readonly (readonly [string, number])[] }) {
  const most = Math.max(1, ...values.map(([, value]) => value))
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <ol class="bars">
        {values.map(([day, value]) => (
          <li key={day} title={`${day}: ${number(value)}`}>
            <span class="bar" style={{ height: `${(value / most) * 100}%` }} />
            <span class="hidden">
              {day}: {number(value)}
            </span>
          </li>
        ))}
      </ol>
      <p class="quiet line">
        <span>{values[0]?.[0]}</span>
        <span>highest {number(most)}</span>
        <span>{values.at(-1)?.[0]}</span>
      </p>
    </figure>
  )
}
