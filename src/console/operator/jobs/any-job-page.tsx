import { at } from '../../api/base.ts'
import { useQuery } from '../../api/use-query.ts'
import { sentenceOf } from '../../api/words.ts'
import { costText } from '../../jobs/cost-text.ts'
import { JobHalves } from '../../jobs/job-halves.tsx'
import { anyJobName, jobTitle } from '../../jobs/job-name.ts'
import { JobState } from '../../jobs/job-state.tsx'
import { UnservedPool } from '../../jobs/unserved-pool.tsx'
import { type AnyJobQuery, anyJob } from '../../operations.ts'
import { Empty } from '../../parts/empty.tsx'
import { bytes, count, duration, exactTime, sentence, shortId } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { keyName } from '../../parts/key-name.ts'
import { Load, SkeletonRows } from '../../parts/load.tsx'
import { Crumb } from '../../parts/page.tsx'
import { ShortId } from '../../parts/short-id.tsx'
import { OperatorScreen } from '../operator-screen.tsx'

type AnyJob = Extract<NonNullable<AnyJobQuery['node']>, { cause: unknown }>

/** A job of any account as operators see it: with its account and its true cause, without what its owner alone may do or hear. */
export function AnyJobPage({ id }: { id: string }) {
  const query = useQuery(anyJob, { id })
  const actions = (
    <button type="button" class="button" onClick={query.reload}>
      <Icon name="reload" /> Refresh
    </button>
  )
  const job = query.data?.node
  const title = job && 'cause' in job ? jobTitle(anyJobName(job)) : shortId(id)
  const crumb = <Crumb href={at('/operator/jobs')}>All jobs</Crumb>
  return (
    <OperatorScreen title={title} tab="jobs" crumb={crumb} actions={actions}>
      <Load query={query} skeleton={<SkeletonRows rows={5} />}>
        {({ node }) =>
          node && 'cause' in node ? (
            <AnyJobBody job={node} />
          ) : (
            <Empty title="No such job">It may have been deleted, or the address is mistyped.</Empty>
          )
        }
      </Load>
    </OperatorScreen>
  )
}

const AnyJobBody = ({ job }: { job: AnyJob }) => (
  <>
    <section class="card job-head">
      <div class="row">
        <JobState job={job} />
        <span class="chip">{job.endpointKey}</span>
        <ShortId id={job.id} />
      </div>
      <UnservedPool job={job} />
      {job.status === 'FAILED' && (
        <div class="true-cause">
          <h2 class="label">Cause</h2>
          <pre class="job-cause">{job.cause ?? 'None was recorded.'}</pre>
          <p class="muted">
            Its owner reads: {job.error && sentenceOf(job.errorCode ?? '', job.error)} <code>{job.errorCode}</code>
          </p>
        </div>
      )}
    </section>
    <JobHalves job={job}>
      <AnyJobFacts job={job} />
    </JobHalves>
  </>
)

const AnyJobFacts = ({ job }: { job: AnyJob }) => (
  <dl class="facts card-body">
    <div>
      <dt>Account</dt>
      <dd dir="auto">{job.account && <a href={at(`/operator/accounts/${job.account.id}`)}>{job.account.name}</a>}</dd>
    </div>
    <Fact name="Balance" value={job.account ? `${count(job.account.credits)} credits` : '–'} />
    <Fact name="Type" value={sentence(job.type)} />
    <Fact name="Submitted" value={exactTime(job.createdAt)} />
    <Fact name="With" value={job.apiKeyName ?? (job.apiKeyId ? keyName(null, true) : 'the console')} />
    <Fact name="Attempts" value={count(job.attempts)} />
    <Fact name="Cost" value={costText(job)} />
    {job.artifacts.map((file) => (
      <Fact
        key={file.id}
        name={`Output ${file.output}`}
        value={
          file.deletedAt
            ? 'deleted'
            : `${bytes(file.bytes)}${file.durationMs === null ? '' : `, ${duration(file.durationMs)}`}`
        }
      />
    ))}
  </dl>
)

const Fact = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd dir="auto">{value}</dd>
  </div>
)
