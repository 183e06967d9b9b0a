import type { FastifyReply, FastifyRequest } from 'fastify'
import { prefersHtml } from './accept.ts'
import { type Example, readExamples } from './examples.ts'

const OPTIONS = {
  title: 'Sonant GraphQL',
  // It would subscribe by GET otherwise.
  method: 'POST' as const,
  defaultQuery: `# Unauthenticated requests can only query the catalog. Put an API key into Headers below:
#   {"authorization": "Bearer snt_..."}
# and choose one of the examples above.
{
  catalog {
    endpoints {
      slug
      name
    }
  }
}
`,
}
/** The page brings its scripts, styles, fonts and workers along: a browser is to load nothing from elsewhere. */
const POLICY =
  "default-src 'self' 'unsafe-inline' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Serves GraphiQL to browsers, with a list of the examples in its head. */
interface Graphiql {
  /** A browser that shows a page to a person asks for HTML; no GraphQL client does. */
  isAskedFor(request: FastifyRequest): boolean
  send(reply: FastifyReply): Promise<FastifyReply>
}

/** The page is made for the first request: its nine megabytes are of no use to a service that never shows it. */
export function openGraphiql(): Graphiql {
  let page: Promise<Buffer> | undefined
  return {
    isAskedFor: ({ method, headers }) => method === 'GET' && prefersHtml(headers.accept),
    send: async (reply) => {
      page ??= renderPage()
      return reply
        .header('content-security-policy', POLICY)
        .type('text/html; charset=utf-8')
        .send(await page)
    },
  }
}

async function renderPage(): Promise<Buffer> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const options = JSON.stringify(OPTIONS)
  const [head, tail, ...more] = renderGraphiQL(OPTIONS).split(`          ${options}`)
  if (head === undefined || tail === undefined || more.length > 0) throw new Error('GraphiQL is started in another way')
  const examples = toScript((await readExamples()).map(toItem))
  const list = `<script>const chosen = (${listExamples})(${examples})</script>`
  return Buffer.from(`${head.replace('<div id="root">', (root) => list + root)}{...${options}, ...chosen}${tail}`)
}

interface Item {
  readonly name: string
  readonly about: string
  readonly operation: string
  readonly query: string
  readonly variables: string
}

const toItem = ({ name, about, query, variables }: Example): Item => ({
  name,
  about,
  operation: /^(query|mutation|subscription)/m.exec(query)?.[1] ?? '',
  query,
  variables: Object.keys(variables).length === 0 ? '' : JSON.stringify(variables, null, 2),
})

/** JSON that can stand in a script element. */
const toScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c')

interface Element {
  style: { cssText: string }
  label: string
  ariaLabel: string
  title: string
  value: string
  onchange: () => void
  append(...children: unknown[]): void
}

interface Browser {
  readonly document: { readonly body: Element; createElement(name: string): Element }
  readonly location: { hash: string; href: string; readonly pathname: string; reload(): void }
  readonly history: { replaceState(state: unknown, title: string, url: string): void }
}

/** Runs in the browser: puts the list on the page, and returns what GraphiQL is to start with. */
function listExamples(items: readonly Item[]): Partial<Pick<Item, 'query' | 'variables'>> {
  const { document, location, history } = globalThis as unknown as Browser
  const list = document.createElement('select')
  list.ariaLabel = 'Examples'
  list.style.cssText = 'position:fixed;z-index:9;top:28px;right:250px;max-width:240px;padding:4px;border-radius:4px'
  list.append(Object.assign(document.createElement('option'), { textContent: 'Examples', value: '' }))
  for (const operation of ['query', 'mutation', 'subscription']) {
    const group = Object.assign(document.createElement('optgroup'), { label: operation })
    for (const { name, about } of items.filter((item) => item.operation === operation)) {
      group.append(Object.assign(document.createElement('option'), { textContent: name, value: name, title: about }))
    }
    list.append(group)
  }
  // GraphiQL keeps what is edited in the address: a chosen example begins anew.
  list.onchange = () => {
    history.replaceState(null, '', `${location.pathname}#${list.value}`)
    location.reload()
  }
  document.body.append(list)
  const chosen = items.find(({ name }) => location.hash === `#${name}`)
  return chosen === undefined ? {} : { query: chosen.query, variables: chosen.variables }
}
