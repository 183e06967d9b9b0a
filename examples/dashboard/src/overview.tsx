import { useMutation, useQuery } from '@urql/preact'
import { useMemo, useState } from 'preact/hooks'
import { messageOf } from './client.ts'
import { byDay, dayBefore } from './days.ts'
import {
  DaysDocument,
  SubmitDocument,
  type SubmitMutation,
  UnfinishedJobsDocument,
  UnfinishedListDocument,
  ViewerDocument,
} from './gql/graphql.ts'
import { Card, Choice, JobRows, number, Problem } from './parts.tsx'
import { useLiveList } from './use-live-list.ts'

const DAYS = 14
/** As many as the query asks for. */
const MOST = 100

export const Overview = () => (
  <>
    <Submit />
    <Unfinished />
    <Days />
  </>
)

type Refusal = Extract<SubmitMutation['submitVoiceJob'], { readonly __typename: 'RequestError' }>

function Unfinished() {
  const { rows, problem } = useLiveList({
    follow: (client, beginning) => client.subscription(UnfinishedJobsDocument, beginning),
    ask: (client) => client.query(UnfinishedListDocument, {}, { requestPolicy: 'network-only' }),
    rowsOf: ({ viewer }) => viewer?.jobs?.nodes,
  })
  const jobs = rows?.slice(0, MOST) ?? []
  return (
    <Card title="Unfinished now">
      <Problem message={problem} />
      {!problem && <JobRows jobs={jobs} none={rows ? 'Nothing waits or runs.' : 'Loading …'} />}
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
          <Choice
            label="Endpoint"
            value={endpoint?.slug}
            options={endpoints}
            onChoose={(slug) => setForm({ ...form, slug })}
          />
          <Choice
            label="Voice"
            value={voice?.slug}
            options={endpoint?.voices ?? []}
            onChoose={(voice) => setForm({ ...form, voice })}
          />
          <button type="submit" disabled={fetching || !voice}>
            Speak
          </button>
        </div>
      </form>
      {data && !endpoint && <p class="quiet">No endpoint is published yet.</p>}
      <Problem message={messageOf(error) ?? (result?.__typename === 'RequestError' ? reasonOf(result) : null)} />
      {result?.__typename === 'VoiceJobSubmission' && (
        <p class="quiet">
          Submitted as <a href={`#/jobs/${result.jobId}`}>{result.jobId}</a>.
        </p>
      )}
    </Card>
  )
}

/** The details name a field of the form, such as `/inputs/text`. */
const reasonOf = ({ message, details }: Refusal): string =>
  details.map((one) => `The ${one.path.split('/').at(-1)} ${one.message}.`).join(' ') || message

function Days() {
  const variables = useMemo(() => {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
    return { from: dayBefore(DAYS - 1).toISOString(), timeZone }
  }, [])
  const [{ data, error }] = useQuery({ query: DaysDocument, variables, requestPolicy: 'cache-and-network' })
  const groups = data?.viewer?.jobStats
  const days = byDay(groups ?? [], DAYS)
  return (
    <Card title="Last 14 days">
      <Problem message={messageOf(error)} />
      {!groups?.length && !error && <p class="quiet">{groups ? 'No jobs in these days.' : 'Loading …'}</p>}
      {groups && groups.length > 0 && (
        <div class="charts">
          <Bars title="Jobs a day" values={days.map(({ day, group }) => [day, group?.jobs ?? 0])} />
          <Bars title="Credits a day" values={days.map(({ day, group }) => [day, group?.credits ?? 0])} />
        </div>
      )}
    </Card>
  )
}

function Bars({ title, values }: { title: string; values: readonly (readonly [Date, number])[] }) {
  const most = Math.max(...values.map(([, value]) => value))
  const days = values.map(([day]) => day.toLocaleDateString('en', { month: 'short', day: 'numeric' }))
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <ol class="bars">
        {values.map(([, value], index) => (
          <li key={days[index]} title={`${days[index]}: ${number(value)}`}>
            <span class="bar" style={{ height: `${(value / Math.max(1, most)) * 100}%` }} />
            <span class="hidden">
              {days[index]}: {number(value)}
            </span>
          </li>
        ))}
      </ol>
      <p class="quiet line">
        <span>{days[0]}</span>
        <span>highest {number(most)}</span>
        <span>{days.at(-1)}</span>
      </p>
    </figure>
  )
}
