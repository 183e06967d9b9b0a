import type { ComponentChildren } from 'preact'
import type { JobRowFragment, JobStatus } from './gql/graphql.ts'

const TIMES = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })
const NUMBERS = new Intl.NumberFormat('en')

export const number = (value: number): string => NUMBERS.format(value)
export const time = (value: string): string => TIMES.format(new Date(value))
export const seconds = (ms: number | null | undefined): string =>
  ms == null ? '–' : `${(ms / 1000).toFixed(ms < 1000 ? 2 : 1)} s`

export const Problem = ({ message }: { message: string | undefined }) =>
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

const titleOf = (job: JobRowFragment): string => ('textExcerpt' in job && job.textExcerpt) || job.endpointKey

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
