import { useEffect, useRef, useState } from 'preact/hooks'
import { at } from '../api/base.ts'
import { follow } from '../api/follow.ts'
import { isOperator, isOwner } from '../api/session.ts'
import { useEvery } from '../api/use-every.ts'
import { useFreshUrls } from '../api/use-fresh-urls.ts'
import { type Loaded, useQuery } from '../api/use-query.ts'
import { Transcript } from '../captions/transcript.tsx'
import { type JobDetailQuery, jobDetail, jobLive } from '../operations.ts'
import { Empty } from '../parts/empty.tsx'
import { bytes, count, duration, exactTime, sentence, shortId } from '../parts/format.ts'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { Crumb, Page } from '../parts/page.tsx'
import { Player } from '../parts/player.tsx'
import { ShortId } from '../parts/short-id.tsx'
import { useAddress } from '../parts/use-address.ts'
import { DownloadMenu } from '../playground/download-menu.tsx'
import { costText } from './cost-text.ts'
import { JobActions } from './job-actions.tsx'
import { JobDeliveries } from './job-deliveries.tsx'
import { type Job, submitterOf } from './job-detail.ts'
import { JobHalves } from './job-halves.tsx'
import { jobName, jobTitle } from './job-name.ts'
import { JobError, JobState } from './job-state.tsx'
import { listQuery } from './jobs-address.ts'
import { Neighbours } from './neighbours.tsx'
import { RequestCode } from './request-code.tsx'
import { TagLinks } from './tag-links.tsx'
import { UnservedPool } from './unserved-pool.tsx'

const PLACE_MS = 5000

/** One job: what became of it, when, what it cost, its audio and its deliveries; followed until it has ended. */
export const JobPage = ({ id = '' }: { id?: string }) => <OneJob key={id} id={id} />

function OneJob({ id }: { id: string }) {
  const { query: address } = useAddress()
  const query = useQuery(jobDetail, { jobId: id, isOwner: isOwner.value, isOperator: isOperator.value })
  useFollowed(id, query)
  // Its place in the queue depends on the jobs of others, whose changes are in no message.
  useEvery(PLACE_MS, query.data?.job.status === 'QUEUED', query.reload)
  const isGone = query.failure?.code === 'NOT_FOUND'
  const actions = !isGone && (
    <>
      <Neighbours id={id} />
      {query.data !== null && <JobActions job={query.data.job} onChange={query.reload} />}
    </>
  )
  const title = query.data === null || isGone ? shortId(id) : jobTitle(jobName(query.data.job))
  return (
    <Page title={title} crumb={<Crumb href={at(`/jobs${listQuery(address)}`)}>Jobs</Crumb>} actions={actions}>
      {isGone ? (
        <Empty
          title="No such job"
          action={
            <a class="button" href={at(`/jobs${listQuery(address)}`)}>
              To the jobs
            </a>
          }
        >
          It may have been deleted, or the address is mistyped. The address may also belong to another account.
        </Empty>
      ) : (
        <Load query={query} skeleton={<SkeletonRows rows={5} />}>
          {({ job }) => <JobBody job={job} askedAt={query.askedAt} onChange={query.reload} />}
        </Load>
      )}
    </Page>
  )
}

/** Asks again for what the service says that it has changed, once for each change. */
function useFollowed(id: string, { data, reload }: Pick<Loaded<JobDetailQuery>, 'data' | 'reload'>): void {
  const [live, setLive] = useState<string | null>(null)
  const asked = useRef<string | null>(null)
  useEffect(() => follow(jobLive, { id }, ({ jobUpdated }) => setLive(progressOf(jobUpdated))), [id])
  useEffect(() => {
    if (live === null || data === null || live === asked.current || live === progressOf(data.job)) return
    asked.current = live
    reload()
  }, [live, data])
}

interface Progress {
  readonly status: string
  readonly chunksDone?: number | null
  readonly attempts: number
  readonly releases: number
  readonly attemptHistory: readonly { readonly endedAt: string | null }[]
}

const progressOf = ({ status, chunksDone, attempts, releases, attemptHistory }: Progress): string =>
  [status, chunksDone ?? null, attempts, releases, attemptHistory.at(-1)?.endedAt ?? null].join(' ')

function JobBody({ job, askedAt, onChange }: { job: Job; askedAt: number; onChange: () => void }) {
  return (
    <>
      <section class="card job-head">
        <div class="row">
          <JobState job={job} />
          <span class="chip">{job.endpointKey}</span>
          <TagLinks tags={job.tags} />
          <ShortId id={job.id} />
        </div>
        <JobError job={job} />
        <UnservedPool job={job} />
        {job.isProhibited && <p class="notice warn">Moderation rejected its content.</p>}
        <JobAudio job={job} onExpired={onChange} />
        {job.__typename === 'VoiceJob' && <RequestCode job={job} />}
      </section>
      <JobHalves job={job}>
        <JobFacts job={job} />
      </JobHalves>
      {job.artifacts.length > 0 && <Artifacts artifacts={job.artifacts} />}
      {job.deliveries && job.deliveries.length > 0 && (
        <JobDeliveries jobId={job.id} deliveries={job.deliveries} askedAt={askedAt} onSent={onChange} />
      )}
    </>
  )
}

function JobAudio({ job, onExpired }: { job: Job; onExpired: () => void }) {
  useFreshUrls('wav' in job ? (job.wav ?? null) : null, onExpired)
  if (job.__typename !== 'VoiceJob' || job.status === 'FAILED') return null
  if (job.artifacts.some(({ deletedAt }) => deletedAt !== null))
    return <p class="notice">Its audio has been deleted. The job stays readable.</p>
  return (
    <div class="row job-audio">
      <Player
        src={job.wav ?? (job.status === 'QUEUED' ? null : (job.liveUrl ?? null))}
        waveOf={job.status === 'COMPLETED' ? job.id : null}
        label="the speech"
        onError={onExpired}
      >
        {(heard) => job.status === 'COMPLETED' && <Transcript jobId={job.id} heard={heard} isEager />}
      </Player>
      {job.status === 'COMPLETED' && <DownloadMenu jobId={job.id} audio={job} name={job.id} />}
    </div>
  )
}

function JobFacts({ job }: { job: Job }) {
  const { audioMs, voice, voiceName, language } = {
    audioMs: null,
    voice: null,
    voiceName: null,
    language: null,
    ...job,
  }
  const facts: readonly (readonly [string, string | null])[] = [
    ['Type', sentence(job.type)],
    ['Voice', voiceName ?? voice ?? null],
    ['Language', language ?? null],
    ['Submitted', exactTime(job.createdAt)],
    ['Submitted with', submitterOf(job)],
    ['Attempts', count(job.attempts)],
    ['Waited', duration(job.waitMs)],
    ['Ran', duration(job.runMs)],
    ['Cost', costText(job)],
    ['Audio', audioMs === null ? null : duration(audioMs)],
    ['Work per second of audio', audioMs && job.runMs ? `${(job.runMs / audioMs).toFixed(3)} s` : null],
  ]
  return (
    <dl class="facts card-body">
      {facts.map(([name, value]) =>
        value === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}

const Artifacts = ({ artifacts }: { artifacts: Job['artifacts'] }) => (
  <section class="card">
    <div class="card-head">
      <h2>Files</h2>
    </div>
    <div class="table-box as-cards">
      <table aria-label="Outputs of the job">
        <thead>
          <tr>
            <th>Output</th>
            <th>Type</th>
            <th class="end">Size</th>
            <th class="end">Length</th>
            <th>Checksum (SHA-256)</th>
          </tr>
        </thead>
        <tbody>
          {artifacts.map((file) => (
            <tr key={file.id}>
              <th scope="row">{file.output}</th>
              <td>{file.contentType}</td>
              <td class="end">{bytes(file.bytes)}</td>
              <td class="end">{duration(file.durationMs)}</td>
              <td>
                <ShortId id={file.sha256} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
)
