import './help.css'
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { ApiError } from '../api/api-error.ts'
import { at, PREFIX, serviceUrl } from '../api/base.ts'
import { session } from '../api/session.ts'
import { useQuery } from '../api/use-query.ts'
import { callExample } from '../operations.ts'
import { Empty } from '../parts/empty.tsx'
import { Failure } from '../parts/failure.tsx'
import { SkeletonRows } from '../parts/load.tsx'
import { Crumb, Page } from '../parts/page.tsx'
import { quoted } from '../parts/service-command.ts'
import { showHelp } from '../shell/help/help.ts'
import { Blocks } from './blocks.tsx'
import { endpointOf, namesKey, type Reader } from './fill-in.ts'
import { type Block, groups, type HelpEntry, pages } from './pages.ts'
import { SampleKey, sampleKey } from './sample-key.tsx'

/** The documentation for users, as /docs has it too: its contents, and a page of it for each address below. */
export const HelpPage = ({ id = '' }: { id?: string }) =>
  id === '' ? <ContentsPage /> : <OnePage key={id} entry={entries.find(({ name }) => name === id)} />

const entries = groups.flatMap((group) => group.entries)
const keys = (
  <button type="button" class="button" onClick={showHelp}>
    Keyboard shortcuts
  </button>
)

const ContentsPage = () => (
  <Page title="Help" actions={keys}>
    <p class="prose">
      Samples have your own address, endpoint and voice. Ctrl K finds a page or a heading by its words.
    </p>
    <nav class="help-groups" aria-label="Contents">
      {groups.map((group) => (
        <section key={group.title} class="card">
          <h2>{group.title}</h2>
          <Links entries={group.entries} />
        </section>
      ))}
      <section class="card">
        <h2>To look things up</h2>
        <ul>
          {REFERENCES.map(([path, title]) => (
            <li key={path}>
              <a href={`${PREFIX}${path}`} target="_blank" rel="noreferrer">
                {title}
              </a>
            </li>
          ))}
        </ul>
      </section>
    </nav>
  </Page>
)

/** The router takes none of these for a screen. */
const REFERENCES = [
  ['/docs/reference', 'REST reference'],
  ['/docs/reference?of=openai', 'Reference for OpenAI clients'],
  ['/graphql', 'GraphQL, to try queries in'],
] as const

interface LinksProps {
  readonly entries: readonly HelpEntry[]
  readonly current?: HelpEntry
}

const Links = ({ entries: listed, current }: LinksProps) => (
  <ul>
    {listed.map((entry) => (
      <li key={entry.name}>
        <a href={at(`/help/${entry.name}`)} aria-current={entry === current ? 'page' : undefined}>
          {entry.title}
        </a>
        {entry === current && <Headings of={entry} />}
      </li>
    ))}
  </ul>
)

const Headings = ({ of: { headings } }: { readonly of: HelpEntry }) =>
  headings.length > 0 && (
    <ul>
      {headings.map(({ id, text }) => (
        <li key={id}>
          <a href={`#${id}`}>{text}</a>
        </li>
      ))}
    </ul>
  )

function OnePage({ entry }: { entry: HelpEntry | undefined }) {
  const crumb = <Crumb href={at('/help')}>Help</Crumb>
  return (
    <Page title={entry?.title ?? 'Not found'} crumb={crumb}>
      {entry === undefined ? (
        <Empty title="There is no such page of help" action={<a href={at('/help')}>All pages</a>}>
          The address may be mistyped, or the page has another name now.
        </Empty>
      ) : (
        <div class="help">
          <nav class="help-contents" aria-label="Contents">
            {groups.map((group) => (
              <section key={group.title}>
                <h2>{group.title}</h2>
                <Links entries={group.entries} current={entry} />
              </section>
            ))}
          </nav>
          <Article entry={entry} />
        </div>
      )}
    </Page>
  )
}

/** The page's own file holds its text. */
function Article({ entry }: { entry: HelpEntry }) {
  const { blocks, isGone, load } = useBlocks(entry.name)
  const reader = useReader()
  const { url } = useLocation()
  useEffect(() => {
    const id = hashId()
    if (blocks !== null && id !== '') document.getElementById(id)?.scrollIntoView()
  }, [blocks, url])
  if (isGone) return <Failure failure={GONE} onRetry={load} />
  if (blocks === null) return <SkeletonRows rows={6} />
  return (
    <article class="help-text">
      <details class="help-here">
        <summary>On this page</summary>
        <Headings of={entry} />
      </details>
      {blocks.some((block) => block.kind === 'code' && namesKey(block.text)) && <SampleKey />}
      <Blocks blocks={blocks.slice(1)} reader={reader} />
    </article>
  )
}

/** The id behind `#`; empty where somebody mistyped it. */
function hashId(): string {
  try {
    return decodeURIComponent(location.hash.slice(1))
  } catch {
    return ''
  }
}

const GONE = new ApiError('This page could not be loaded from the service.', { code: 'OFFLINE' })

function useBlocks(name: string) {
  const [blocks, setBlocks] = useState<readonly Block[] | null>(null)
  const [isGone, setGone] = useState(false)
  const load = (): void => {
    setGone(false)
    pages[name]?.().then(
      (page) => setBlocks(page.blocks),
      () => setGone(true),
    )
  }
  useEffect(load, [name])
  return { blocks, isGone, load }
}

function useReader(): Reader {
  const endpoint = endpointOf(useQuery(callExample, {}).data?.myEndpoints ?? [])
  return {
    service: serviceUrl(),
    account: quoted(session.value?.accountName ?? 'demo'),
    apiKey: sampleKey.value,
    endpoint: endpoint === undefined ? null : { slug: endpoint.slug, voices: endpoint.voices.map(({ slug }) => slug) },
  }
}
