import { useLocation } from 'preact-iso/router'
import { ask } from '../api/ask.ts'
import { at } from '../api/base.ts'
import { useAction } from '../api/use-action.ts'
import { textOf } from '../captions/spoken-text.ts'
import { words } from '../operations.ts'
import { Icon } from '../parts/icon.tsx'
import { toast } from '../parts/toast.tsx'
import { noteInputs, putText } from '../playground/draft.ts'
import { valuesOf } from '../playground/form-fields.ts'
import { takes } from '../playground/takes.ts'
import type { Job } from './job-detail.ts'

/** Opens the playground with the text, voice and inputs of a job, as far as they are known. */
export function PlaygroundButton({ job }: { readonly job: Job }) {
  const { route } = useLocation()
  const open = useAction(async () => {
    const endpoint = job.endpointKey.slice(job.endpointKey.indexOf('.') + 1)
    const own = takes.peek().find(({ jobId }) => jobId === job.id)
    putText(own?.text || (await textOfJob(job)))
    if (own) noteInputs(endpoint, valuesOf(own.inputs))
    const voice = 'voice' in job && job.voice
    route(at(`/playground?${new URLSearchParams({ endpoint, ...(voice && { voice }) })}`))
  })
  if (job.__typename !== 'VoiceJob' || job.textExcerpt === null) return null
  return (
    <button type="button" class="button" aria-disabled={open.isOff} onClick={() => void open.run()}>
      <Icon name="playground" /> Open in the playground
    </button>
  )
}

/** The whole text of a job: a short one is its own beginning, and a long one is known once it was spoken. */
async function textOfJob(job: Job): Promise<string> {
  const { textExcerpt, characters } = { textExcerpt: null, characters: null, ...job }
  const beginning = textExcerpt ?? ''
  if ([...beginning].length === characters) return beginning
  const found = await ask(words, { jobId: job.id }).catch(() => null)
  if (found?.voiceJob.sentences) return textOf(found.voiceJob.sentences)
  toast('Only the beginning of its text is known here: the rest was not spoken, or cannot be read now.')
  return beginning
}
