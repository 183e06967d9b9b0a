import { useRef, useState } from 'preact/hooks'
import { ApiError } from '../api/api-error.ts'
import { ask } from '../api/ask.ts'
import { ownMedia } from '../api/base.ts'
import { randomKey } from '../api/random-key.ts'
import { isOwner } from '../api/session.ts'
import { sentenceOf } from '../api/words.ts'
import { showBulkNotice } from '../lists/bulk-notice.tsx'
import type { BulkOne } from '../lists/bulk-result.ts'
import { SelectionFrame } from '../lists/selection-frame.tsx'
import type { Selection } from '../lists/use-selection.ts'
import { audioZip, cancelJobs, deleteJobs, type JobRowFragment, retryJobs } from '../operations.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { count, words } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { toast } from '../parts/toast.tsx'
import { jobName, NO_TEXT } from './job-name.ts'
import { isQueued, mayRetry } from './may-retry.ts'

interface SelectionBarProps {
  /** All of the page. */
  readonly rows: readonly JobRowFragment[]
  readonly selection: Selection
  readonly onDone: () => void
}

type Bulk = 'cancel' | 'retry' | 'delete'

const NAMES = {
  cancel: { done: 'cancelled', doneName: 'Cancelled jobs' },
  retry: { done: 'retried', doneName: 'New jobs' },
  delete: { done: 'deleted', doneName: 'Deleted jobs' },
} as const

const QUESTIONS = {
  cancel: ['Cancel', 'They end as cancelled, their engines stop, and their credits are refunded.'],
  retry: ['Retry', 'Each becomes a new job with the same inputs, which is charged again.'],
  delete: ['Delete', 'Their texts, audio and deliveries are deleted permanently. The ledger keeps their amounts.'],
} as const

const BUTTONS = [
  ['cancel', 'Cancel', 'cancel'],
  ['retry', 'Retry', 'reload'],
  ['delete', 'Delete', 'trash'],
] as const

/** Offers actions for the selected jobs; it leaves out and counts those that an action does not fit. */
export function SelectionBar({ rows, selection, onDone }: SelectionBarProps) {
  const [asked, setAsked] = useState<Bulk | null>(null)
  const jobs = rows.filter(({ id }) => selection.selected.has(id))
  const fitting = {
    cancel: jobs.filter((job) => (job.status === 'QUEUED' || job.status === 'PROCESSING') && isQueued(job)),
    retry: jobs.filter(mayRetry),
    delete: isOwner.value ? jobs.filter(isOver) : [],
  }
  const heard = jobs.filter((job) => job.__typename === 'VoiceJob' && job.status === 'COMPLETED')
  return (
    <SelectionFrame label="Selected jobs" selection={selection}>
      <DownloadButton jobs={heard} />
      {BUTTONS.map(([bulk, text, icon]) =>
        bulk === 'delete' && !isOwner.value ? null : (
          <button
            key={bulk}
            type="button"
            class="button small"
            aria-disabled={fitting[bulk].length === 0}
            onClick={() => setAsked(bulk)}
          >
            <Icon name={icon} size={14} /> {text} {fitting[bulk].length}
          </button>
        ),
      )}
      {asked !== null && (
        <BulkDialog
          bulk={asked}
          jobs={fitting[asked]}
          onDone={() => {
            selection.clear()
            onDone()
          }}
          onClose={() => setAsked(null)}
        />
      )}
    </SelectionFrame>
  )
}

const isOver = ({ status }: JobRowFragment): boolean => status === 'COMPLETED' || status === 'FAILED'

/** Downloads the audio of the jobs as one ZIP file. */
function DownloadButton({ jobs }: { readonly jobs: readonly JobRowFragment[] }) {
  const onClick = async (): Promise<void> => {
    try {
      const { url, missingIds } = (await ask(audioZip, { ids: jobs.map(({ id }) => id) })).audioZip
      if (missingIds.length > 0)
        toast(`${count(missingIds.length)} of them have no audio any more: a text file in the ZIP names them.`)
      location.assign(ownMedia(String(url)))
    } catch (error) {
      toast(
        error instanceof ApiError ? sentenceOf(error.code, error.message) : 'The download did not begin. Try again.',
      )
    }
  }
  return (
    <button type="button" class="button small" aria-disabled={jobs.length === 0} onClick={() => void onClick()}>
      <Icon name="download" size={14} /> Download {jobs.length}
    </button>
  )
}

interface BulkDialogProps {
  readonly bulk: Bulk
  readonly jobs: readonly JobRowFragment[]
  readonly onDone: () => void
  readonly onClose: () => void
}

function BulkDialog({ bulk, jobs, onDone, onClose }: BulkDialogProps) {
  const [verb, text] = QUESTIONS[bulk]
  const asked = useRef<Request | null>(null)
  const onConfirm = async (): Promise<void> => {
    // Each press sends the same request until one is answered with what was done: an earlier one may have come through, and is charged once.
    asked.current ??= { ids: jobs.map(({ id }) => id), idempotencyKey: randomKey() }
    const ones = (await runAll(bulk, asked.current)).map((one, place) => ({ ...nameOf(jobs[place]), ...one }))
    showBulkNotice({ list: 'jobs', ...NAMES[bulk], ones })
    onDone()
  }
  return (
    <ConfirmDialog
      title={`${verb} ${count(jobs.length)} ${jobs.length === 1 ? 'job' : 'jobs'}?`}
      action={`${verb} jobs`}
      isDanger={bulk !== 'retry'}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {text}
    </ConfirmDialog>
  )
}

interface Request {
  readonly ids: string[]
  readonly idempotencyKey: string
}

/** In one request. */
const runAll = (bulk: Bulk, { ids, idempotencyKey }: Request): Promise<BulkOne[]> =>
  bulk === 'cancel' ? cancelAll(ids) : bulk === 'retry' ? retryAll(ids, idempotencyKey) : deleteAll(ids)

/** A job without a text is named by its id. */
function nameOf(job: JobRowFragment | undefined): { readonly name?: string } {
  const name = job && jobName(job)
  return name === undefined || name === NO_TEXT ? {} : { name }
}

async function deleteAll(ids: string[]): Promise<BulkOne[]> {
  const { results } = (await ask(deleteJobs, { ids })).deleteJobs
  return results.map(({ id, error }) => {
    // An earlier press may have deleted it.
    const isGone = error === null || error.code === 'NOT_FOUND'
    return { id, path: isGone ? null : `/jobs/${id}`, refusal: isGone ? null : sentenceOf(error.code, error.message) }
  })
}

async function cancelAll(ids: string[]): Promise<BulkOne[]> {
  const { results } = (await ask(cancelJobs, { ids })).cancelJobs
  return results.map(({ jobId, job, error }) => {
    const refusal = (error && sentenceOf(error.code, error.message)) ?? (job ? lateFor(job) : null)
    return { id: jobId, path: `/jobs/${jobId}`, refusal }
  })
}

/** To cancel what has ended changes nothing, and is no error. Null: it was cancelled. */
function lateFor({
  status,
  errorCode,
}: {
  readonly status: string
  readonly errorCode?: string | null
}): string | null {
  if (errorCode === 'JOB_CANCELLED') return null
  return `It had ${words(status)} before it could be cancelled.`
}

/** The links lead to the new jobs. */
async function retryAll(ids: string[], idempotencyKey: string): Promise<BulkOne[]> {
  const { results } = (await ask(retryJobs, { ids, idempotencyKey })).retryJobs
  return results.map(({ jobId, job, error }) => {
    const id = job?.id ?? jobId
    return { id, path: `/jobs/${id}`, refusal: (error && sentenceOf(error.code, error.message)) ?? null }
  })
}
