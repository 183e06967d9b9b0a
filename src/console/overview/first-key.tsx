import { useState } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { at, serviceUrl } from '../api/base.ts'
import { useAction } from '../api/use-action.ts'
import { createKey } from '../operations.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Failure } from '../parts/failure.tsx'
import { Segments } from '../parts/field.tsx'
import { snippets } from './snippets.ts'
import type { Speaker } from './steps.ts'

const NAME = 'First program'

/** Makes a key at a press, and shows it once: in the programs that use it. */
export function FirstKey({ speaker, onMade }: { speaker: Speaker | null; onMade: () => void }) {
  const [apiKey, setApiKey] = useState<string | null>(null)
  const make = useAction(async () => {
    setApiKey((await ask(createKey, { name: NAME })).createApiKey.apiKey)
    onMade()
  })
  if (apiKey !== null) return <Programs apiKey={apiKey} speaker={speaker} />
  return (
    <>
      <p class="prose">Each program gets a key of its own, which can be deleted alone.</p>
      {make.failure !== null && <Failure failure={make.failure} />}
      <button type="button" class="button" aria-disabled={make.isOff} onClick={() => void make.run()}>
        Make a key
      </button>
    </>
  )
}

function Programs({ apiKey, speaker }: { apiKey: string; speaker: Speaker | null }) {
  const call = { service: serviceUrl(), slug: speaker?.endpoint.slug ?? 'tts', voice: speaker?.voices[0]?.slug ?? '' }
  const all = snippets({ ...call, apiKey })
  const [chosen, setChosen] = useState(all[0]?.name ?? '')
  const snippet = all.find(({ name }) => name === chosen)
  return (
    <div class="stack">
      <p class="prose">
        The key “{NAME}” is made, and stands in this program. It is shown this once: copy it now, or make another under{' '}
        <a href={at('/keys')}>API keys</a>.
      </p>
      <div class="row spread">
        <Segments label="Language" value={chosen} onChange={setChosen} options={all.map(({ name }) => [name, name])} />
        <CopyButton text={snippet?.text ?? ''} label={`Copy the program for ${chosen}`}>
          Copy
        </CopyButton>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <pre tabIndex={0}>{snippet?.text}</pre>
      <p class="hint">{snippet?.run} It writes hello.mp3.</p>
    </div>
  )
}
