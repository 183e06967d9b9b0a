import type { ComponentChildren } from 'preact'
import type { JobRowFragment, JobStatus } from './gql/graphql.ts'

const TIMES = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })
const NUMBERS = new Intl.NumberFormat('en')

export const number = (value: number): string => NUMBERS.format(value)
export const time = (from: string, to?: string | null): string =>
  to ? TIMES.formatRange(new Date(from), new Date(to)) : TIMES.format(new Date(from))
export const seconds = (ms: number | null | undefined): string =>
  ms == null ? '–' : `${(ms / 1000).toFixed(ms < 1000 ? 2 : 1)} s`

export const Problem = ({ message }: { message: string | false | null | undefined }) =>
  message ? (
    <p class="problem" role="alert">
      {message}
    </p>
  ) : null

export const Status = ({ status }: { status: JobStatus }) => (
  <span class={`status ${status.toLowerCase()}`}>{status.toLowerCase()}</span>
)

export function Card({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

interface ChoiceParts {
  readonly label: string
  readonly value: string | undefined
  readonly options: readonly { readonly slug: string; readonly name: string }[]
  readonly onChoose: (slug: string) => void
}

export const Choice = ({ label, value, options, onChoose }: ChoiceParts) => (
  <label>
    {label}
    <select value={value} disabled={options.length === 0} onChange={(event) => onChoose(event.currentTarget.value)}>
      {options.map(({ slug, name }) => (
        <option key={slug} value={slug}>
          {name}
        </option>
      ))}
    </select>
  </label>
)

export const titleOf = (job: JobRowFragment): string => ('textExcerpt' in job && job.textExcerpt) || job.endpointKey

function progressOf(job: JobRowFragment): string {
  if (job.status !== 'PROCESSING' || !('chunksTotal' in job) || !job.chunksTotal) return seconds(job.durationMs)
  return `${job.chunksDone ?? 0} of ${job.chunksTotal}`
}

export function JobRows({ jobs, none }: { jobs: readonly JobRowFragment[]; none: string }) {
  if (jobs.length === 0) return <p class="quiet">{none}</p>
  return (
    <ul class="rows">
      {jobs.map((job) => (
        <li key={job.id}>
          <Status status={job.status} />
          <a href={`#/jobs/${job.id}`}>{titleOf(job)}</a>
          <span class="quiet wide">{'voice' in job ? job.voice : ''}</span>
          <span class="quiet wide">{time(job.createdAt)}</span>
          <span class="end">{progressOf(job)}</span>
          <span class="end">{number(job.cost)} cr</span>
        </li>
      ))}
    </ul>
  )
}
