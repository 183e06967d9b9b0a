import { ask } from '../api/ask.ts'
import { jobSound } from '../operations.ts'
import { toast } from '../parts/toast.tsx'
import { SoundButton } from '../voices/preview-button.tsx'
import { jobName } from './job-name.ts'

type Heard = Parameters<typeof jobName>[0] & {
  readonly id: string
  readonly status: string
  readonly audioMs?: number | null
}

/** Plays a completed job of speech where it is listed; its URL is signed at the press. */
export function JobSound({ job }: { readonly job: Heard }) {
  if (job.__typename !== 'VoiceJob' || job.status !== 'COMPLETED' || job.audioMs == null)
    return <span class="no-sound" aria-hidden="true" />
  const name = jobName(job)
  return (
    <SoundButton
      name={job.id}
      label={name}
      source={async () => String((await ask(jobSound, { jobId: job.id })).voiceJob.audioUrl)}
      onFailed={() => toast(`It could not be played: ${name}. Its audio may have been deleted.`)}
    />
  )
}
