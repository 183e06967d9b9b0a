import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ask } from '../../api/ask.ts'
import { useAction } from '../../api/use-action.ts'
import { type TryEngineMutation, tryEngine } from '../../operations.ts'
import { duration } from '../../parts/format.ts'
import { StateMark } from '../../parts/state-mark.tsx'

type Tried = Extract<TryEngineMutation['checkEngine'], { __typename: 'EngineCheck' }>

/** Has the engine of an endpoint speak one sentence, and keeps what came of it. */
export function useEngineCheck(slug: string) {
  const [tried, setTried] = useState<Tried | null>(null)
  const check = useAction(async () => {
    setTried(null)
    setTried((await ask(tryEngine, { slug })).checkEngine)
  })
  return { tried, check }
}

/** Shows how an engine spoke one sentence. */
export const EngineFindings = ({ tried }: { tried: Tried }) => (
  <section class="card engine-check" aria-label="Engine check" role="status">
    <div class="card-head">
      <h2>Engine check</h2>
      <StateMark state={tried.ok ? 'COMPLETED' : 'FAILED'} label={tried.ok ? 'speaks' : 'needs attention'} />
    </div>
    <dl class="facts card-body">
      <Fact name="Engine">{tried.kind}</Fact>
      <Fact name="Server">{tried.server ?? 'in each worker'}</Fact>
      <Fact name="A sentence">{speechWords(tried)}</Fact>
      <Fact name="Voices">{voicesWords(tried)}</Fact>
      {tried.error !== null && (
        <Fact name="Error">
          <span class="hint bad">{tried.error}</span>
        </Fact>
      )}
    </dl>
  </section>
)

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd dir="auto">{children}</dd>
  </div>
)

function speechWords({ speechMs, audioMs, server, error }: Tried): string {
  if (speechMs !== null) return `${duration(audioMs)} of audio in ${duration(speechMs)}`
  return server === 'worker' && error === null ? "not tested: a worker's own server is ready" : 'was not spoken'
}

function voicesWords({ voicesOffered, voicesMissing }: Tried): ComponentChildren {
  if (voicesMissing.length > 0) return <span class="hint bad">the engine does not list {voicesMissing.join(', ')}</span>
  return voicesOffered === null
    ? 'the engine cannot list its voices'
    : `all found among the ${voicesOffered} that it lists`
}
