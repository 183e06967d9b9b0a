import { useMemo, useState } from 'preact/hooks'
import { at } from '../api/base.ts'
import { now, timeNow } from '../api/clock.ts'
import { isOwner } from '../api/session.ts'
import { useQuery } from '../api/use-query.ts'
import { JobCell } from '../jobs/job-cell.tsx'
import { JobState } from '../jobs/job-state.tsx'
import { FAULTS } from '../jobs/jobs-filter.ts'
import { useCalmReload } from '../lists/use-calm-reload.ts'
import { type JobRowFragment, type OverviewQuery, overview as overviewQuery } from '../operations.ts'
import { count, duration, share, shortCount } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { LimitNotice } from '../parts/limit-notice.tsx'
import { Load, Skeleton, SkeletonRows } from '../parts/load.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { toast } from '../parts/toast.tsx'
import { jobCounts } from '../shell/account-live.ts'
import { useFile } from '../shell/use-file.ts'
import { Tile } from './tile.tsx'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
/** So old the figures of the last day become while they are looked at and no job changes; and where jobs do. */
const REFRESH_MS = 5 * MINUTE_MS
const CHANGED_MS = 10_000
const FIRST_JOB_MS = 1000
/** An account with more of them is past its first steps. */
const BEGINNER_JOBS = 50

/** Shows the running jobs, the last day in figures and the failures; first steps until they are put away, or the account is used. */
export function OverviewPage() {
  const look = Math.floor(now.value / REFRESH_MS)
  const variables = useMemo(() => {
    const from = new Date(Math.floor((timeNow() - DAY_MS) / MINUTE_MS) * MINUTE_MS).toISOString()
    return { from, today: { createdAt: { from } }, failed: { errorCodes: [...FAULTS], createdAt: { from } } }
  }, [look])
  const query = useQuery(overviewQuery, variables)
  const isEmpty = query.data?.latest.totalCount === 0
  const { hasSteps, steps } = useFirstSteps(query.data)
  useCalmReload(jobCounts.value, isEmpty ? FIRST_JOB_MS : CHANGED_MS, query.reload)
  const actions = (
    <a class="button primary" href={at('/playground')}>
      <Icon name="playground" /> Speak something
    </a>
  )
  return (
    <Page title="Overview" actions={actions}>
      <Load query={query} skeleton={<SkeletonRows />}>
        {(data) => {
          const isFresh = isEmpty && !hasJobs(jobCounts.value)
          if (hasSteps && steps === null) return <Rows />
          const figures = !(isFresh && hasSteps) && <Figures data={data} />
          return (
            <div class="cards">
              {isOwner.value && <LimitNotice of={data.account} />}
              {hasSteps && steps !== null ? (
                <steps.FirstSteps onPutAway={query.reload}>{figures}</steps.FirstSteps>
              ) : (
                figures
              )}
            </div>
          )
        }}
      </Load>
    </Page>
  )
}

const Rows = () => (
  <Skeleton>
    <SkeletonRows />
  </Skeleton>
)

/** Most visits are of accounts that have many jobs: the first steps have a file of their own. A page without that file shows the figures alone. */
function useFirstSteps(data: OverviewQuery | null) {
  const [isMissing, setMissing] = useState(false)
  const isBeginner = data?.me?.firstStepsDismissedAt === null && (data.latest.totalCount ?? 0) <= BEGINNER_JOBS
  const hasSteps = isBeginner && !isMissing
  const onGone = () => {
    setMissing(true)
    toast('The first steps could not be loaded from the service.')
  }
  return { hasSteps, steps: useFile(hasSteps, () => import('./first-steps.tsx'), onGone) }
}

const hasJobs = (counts: typeof jobCounts.value): boolean =>
  counts !== null && counts.queued + counts.processing + counts.completed + counts.failed > 0

const Figures = ({ data }: { data: Pick<OverviewQuery, 'jobStats' | 'jobSeries' | 'failures' | 'latest'> }) => (
  <>
    <LastDay data={data} />
    <div class="halves">
      <JobsCard title="Latest jobs" href={at('/jobs')} jobs={data.latest.edges.map(({ node }) => node)} />
      <JobsCard
        title="Failures, last 24 h"
        href={at('/jobs?status=failed&window=24h')}
        jobs={data.failures.edges.map(({ node }) => node)}
      />
    </div>
  </>
)

function LastDay({ data }: { data: Pick<OverviewQuery, 'jobStats' | 'jobSeries' | 'failures'> }) {
  const sum = (of: (group: OverviewQuery['jobStats'][number]) => number | null | undefined): number =>
    data.jobStats.reduce((total, group) => total + (of(group) ?? 0), 0)
  const jobsOf = (status: string): number => data.jobStats.find((group) => group.status === status)?.jobs ?? 0
  const ended = jobsOf('COMPLETED') + jobsOf('FAILED')
  const counts = jobCounts.value
  const { points } = data.jobSeries
  return (
    <div class="tiles">
      <Tile
        name="Running now"
        value={count(counts?.processing ?? jobsOf('PROCESSING'))}
        note={`${count(counts?.queued ?? jobsOf('QUEUED'))} waiting`}
        line={points.map(({ waiting }) => waiting)}
      />
      <Tile
        name="Jobs, last 24 h"
        value={shortCount(sum(({ jobs }) => jobs))}
        note={`${shortCount(sum(({ characters }) => characters))} characters`}
        line={points.map(({ accepted }) => accepted)}
      />
      <Tile
        name="Succeeded"
        value={ended === 0 ? '–' : share(jobsOf('COMPLETED') / ended)}
        note={failedNote(jobsOf('FAILED'), data.failures.totalCount)}
        line={points.map(({ failed }) => failed)}
        tone="red"
      />
      <Tile
        name="Audio made"
        value={duration(sum(({ audioSeconds }) => audioSeconds) * 1000)}
        note={`${shortCount(sum(({ credits }) => credits))} credits`}
        line={points.map(({ audioSeconds }) => audioSeconds)}
      />
    </div>
  )
}

/** A job that was cancelled has the status of those that failed, and is in no list of failures. */
const failedNote = (ended: number, failed: number): string =>
  ended > failed ? `${count(failed)} failed, ${count(ended - failed)} cancelled` : `${count(failed)} failed`

const JobsCard = ({ title, href, jobs }: { title: string; href: string; jobs: readonly JobRowFragment[] }) => (
  <section class="card">
    <div class="card-head">
      <h2>{title}</h2>
      <a href={href}>See all</a>
    </div>
    {jobs.length === 0 ? (
      <p class="card-body muted">None.</p>
    ) : (
      <ul class="job-lines">
        {jobs.map((job) => (
          <li key={job.id}>
            <JobCell job={job} href={at(`/jobs/${job.id}`)} />
            <JobState job={job} />
            <span class="faint">
              <Moment at={job.createdAt} />
            </span>
          </li>
        ))}
      </ul>
    )}
  </section>
)
