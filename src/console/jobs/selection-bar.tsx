import { useRef, useState } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { randomKey } from '../api/random-key.ts'
import { sentenceOf } from '../api/words.ts'
import { showBulkNotice } from '../lists/bulk-notice.tsx'
import type { BulkOne } from '../lists/bulk-result.ts'
import { SelectionFrame } from '../lists/selection-frame.tsx'
import type { Selection } from '../lists/use-selection.ts'
import { cancelJobs, type JobRowFragment, retryJobs } from '../operations.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { count, words } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { isQueued, mayRetry } from './may-retry.ts'

interface SelectionBarProps {
  /** All of the page. */
  readonly rows: readonly JobRowFragment[]
  readonly selection: Selection
  readonly onDone: () => void
}

type Bulk = 'cancel' | 'retry'

const NAMES = {
  cancel: { done: 'cancelled', doneName: 'Cancelled jobs' },
  retry: { done: 'retried', doneName: 'New jobs' },
} as const

/** Offers actions for the selected jobs; it leaves out and counts those that an action does not fit. */
export function SelectionBar({ rows, selection, onDone }: SelectionBarProps) {
  const [asked, setAsked] = useState<Bulk | null>(null)
  const jobs = rows.filter(({ id }) => selection.selected.has(id))
  const fitting = {
    cancel: jobs.filter((job) => (job.status === 'QUEUED' || job.status === 'PROCESSING') && isQueued(job)),
    retry: jobs.filter(mayRetry),
  }
  return (
    <SelectionFrame label="Selected jobs" selection={selection}>
      <button
        type="button"
        class="button small"
        disabled={fitting.cancel.length === 0}
        onClick={() => setAsked('cancel')}
      >
        <Icon name="cancel" size={14} /> Cancel {fitting.cancel.length}
      </button>
      <button
        type="button"
        class="button small"
        disabled={fitting.retry.length === 0}
        onClick={() => setAsked('retry')}
      >
        <Icon name="reload" size={14} /> Retry {fitting.retry.length}
      </button>
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

interface BulkDialogProps {
  readonly bulk: Bulk
  readonly jobs: readonly JobRowFragment[]
  readonly onDone: () => void
  readonly onClose: () => void
}

function BulkDialog({ bulk, jobs, onDone, onClose }: BulkDialogProps) {
  const asked = useRef<Request | null>(null)
  const onConfirm = async (): Promise<void> => {
    // Each press sends the same request until one is answered with what was done: an earlier one may have come through, and is charged once.
    asked.current ??= { ids: jobs.map(({ id }) => id), idempotencyKey: randomKey() }
    showBulkNotice({ list: 'jobs', ...NAMES[bulk], ones: await runAll(bulk, asked.current) })
    onDone()
  }
  return (
    <ConfirmDialog
      title={`${bulk === 'cancel' ? 'Cancel' : 'Retry'} ${count(jobs.length)} ${jobs.length === 1 ? 'job' : 'jobs'}?`}
      action={bulk === 'cancel' ? 'Cancel jobs' : 'Retry jobs'}
      isDanger={bulk === 'cancel'}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {bulk === 'cancel'
        ? 'They end as cancelled, their engines stop, and their credits are refunded.'
        : 'Each becomes a new job with the same inputs, which is charged again.'}
    </ConfirmDialog>
  )
}

interface Request {
  readonly ids: string[]
  readonly idempotencyKey: string
}

/** In one request. */
const runAll = (bulk: Bulk, { ids, idempotencyKey }: Request): Promise<BulkOne[]> =>
  bulk === 'cancel' ? cancelAll(ids) : retryAll(ids, idempotencyKey)

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
