import { ask } from '../api/ask.ts'
import { type Action, useAction } from '../api/use-action.ts'
import { useEvery } from '../api/use-every.ts'
import { useQuery } from '../api/use-query.ts'
import { type NaturalVoiceQuery, naturalVoice, pullModel } from '../operations.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { count } from '../parts/format.ts'
import { serviceCommand } from '../parts/service-command.ts'
import { toast } from '../parts/toast.tsx'

const MODEL = 'kokoro'
const POLL_MS = 1000
const MEGA = 1_000_000

type Model = NaturalVoiceQuery['models'][number]

interface Kokoro {
  /** Null until it is known. */
  readonly data: NaturalVoiceQuery | null
  readonly model: Model | undefined
  readonly pull: Action<void>
}

/** The natural voice that operators are offered, and its installation. */
export function useKokoro(onInstalled: () => void): Kokoro {
  const query = useQuery(naturalVoice, {})
  const pull = useAction(async () => {
    const { pullModel: pulled } = await ask(pullModel, { name: MODEL })
    toast(`Kokoro is installed, as the endpoint ${pulled.endpoint?.name}.`)
    query.reload()
    onInstalled()
  })
  useEvery(POLL_MS, pull.isRunning, query.reload)
  return { data: query.data, model: query.data?.models.find(({ name }) => name === MODEL), pull }
}

interface KokoroProps {
  readonly model: Model
  readonly pull: Action<void>
}

export const InstallButton = ({ pull, size = '' }: { readonly pull: Action<void>; readonly size?: '' | 'small' }) => (
  <button type="button" class={`button ${size}`} aria-disabled={pull.isOff} onClick={() => void pull.run()}>
    {pull.isRunning ? 'Installing…' : 'Install Kokoro'}
  </button>
)

/** How far the installation is, or why it has failed. */
export const Installation = ({ model, pull }: KokoroProps) => (
  <>
    {pull.isRunning && <Progress done={model.downloadedBytes} all={model.sizeBytes ?? 0} />}
    {pull.failure !== null && (
      <p class="hint bad" role="alert">
        {pull.failure.message}
      </p>
    )}
  </>
)

/** For installations whose workers run elsewhere. */
export function KokoroCommand() {
  const line = serviceCommand(`models pull ${MODEL}`)
  return (
    <>
      <p>The workers run on other machines. Run this on each of them:</p>
      <pre>{line}</pre>
      <CopyButton text={line} label="Copy the command that gets a natural voice">
        Copy
      </CopyButton>
    </>
  )
}

function Progress({ done, all }: { done: number; all: number }) {
  if (done >= all) return <p class="faint small-text">Unpacking it and having it speak: this takes a minute or two.</p>
  return (
    <p class="faint small-text">
      <progress class="bar" value={done} max={all} aria-label="Downloaded" /> {megabytes(done)} of {megabytes(all)} MB
    </p>
  )
}

export const megabytes = (bytes: number): string => count(Math.round(bytes / MEGA))
