import { useEffect, useRef, useState } from 'preact/hooks'
import { ask } from '../../api/ask.ts'
import { at } from '../../api/base.ts'
import { useAction } from '../../api/use-action.ts'
import { applyFile } from '../../operations.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Icon } from '../../parts/icon.tsx'
import { fileOf } from '../endpoints/file-of.ts'
import type { Proposal } from './use-proposal.ts'

const MOST_ROWS = 18

interface ApplyCardProps {
  readonly proposal: Proposal
  /** It spoke before. */
  readonly isHeard: boolean
}

/** Makes the endpoint; whoever wants to see its file does. */
export function ApplyCard({ proposal: { write }, isHeard }: ApplyCardProps) {
  const [slug, setSlug] = useState<string | null>(null)
  const [source, setSource] = useState<string | null>(null)
  const apply = useAction(async () => {
    const file = await write()
    await ask(applyFile, { source: file.source, dryRun: false })
    setSlug(file.slug)
  })
  const show = useAction(async () => setSource(source === null ? (await write()).source : null))
  if (slug !== null) return <Applied slug={slug} />
  return (
    <section class="card">
      <div class="card-head">
        <h2>4. Use it</h2>
        <p>Everybody who may speak here can choose it at once</p>
      </div>
      <div class="stack card-body">
        {apply.failure !== null && <Failure failure={apply.failure} />}
        {show.failure !== null && <Failure failure={show.failure} />}
        <div class="row">
          <button
            type="button"
            class={isHeard ? 'button primary' : 'button'}
            aria-disabled={apply.isOff}
            onClick={() => void apply.run()}
          >
            {apply.isRunning ? 'Adding…' : 'Add it'}
          </button>
          <button type="button" class="button quiet" aria-expanded={source !== null} onClick={() => void show.run()}>
            <Icon name="code" /> {source === null ? 'Show its file' : 'Hide its file'}
          </button>
        </div>
        {source !== null && <SourceView source={source} />}
      </div>
    </section>
  )
}

const SourceView = ({ source }: { source: string }) => (
  <div class="engine-source">
    <div class="row spread">
      <span class="faint small-text">What "Add it" applies. A key in it is encrypted.</span>
      <CopyButton text={source} label="Copy the file">
        Copy
      </CopyButton>
    </div>
    <textarea
      class="input"
      aria-label="Endpoint file"
      readOnly
      wrap="off"
      spellcheck={false}
      rows={Math.min(MOST_ROWS, source.split('\n').length)}
      value={source}
    />
  </div>
)

function Applied({ slug }: { slug: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <section class="card">
      <div class="card-head">
        <h2 ref={heading} tabIndex={-1}>
          It is added
        </h2>
      </div>
      <div class="stack card-body">
        <p class="prose">
          It can be spoken with in a second. Prices, limits and who may use it are set in its endpoint.
        </p>
        <div class="row">
          <a class="button primary" href={at(`/playground?endpoint=${slug}`)}>
            <Icon name="playground" /> Speak with it
          </a>
          <a class="button" href={at('/operator/engines')}>
            All engines
          </a>
          <a class="button quiet" href={fileOf(slug)}>
            Its endpoint
          </a>
        </div>
      </div>
    </section>
  )
}
