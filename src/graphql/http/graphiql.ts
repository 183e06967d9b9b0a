import type { FastifyInstance, FastifyRequest } from 'fastify'
import { mountPage, type Page, type PageParts } from '../../http/served-file.ts'
import { GRAPHQL_PATH } from '../../http/web-sockets.ts'
import { prefersHtml } from './accept.ts'
import { type Example, readExamples } from './examples.ts'

const OPTIONS = {
  title: 'Sonant GraphQL',
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
const POLICY =
  "default-src 'self' 'unsafe-inline' data: blob:; script-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

interface Graphiql extends Page {
  isAskedFor(request: FastifyRequest): boolean
}

export function mountGraphiql(app: FastifyInstance): Graphiql {
  return {
    ...mountPage(app, GRAPHQL_PATH, makePage),
    isAskedFor: ({ method, headers }) => method !== 'POST' && prefersHtml(headers.accept),
  }
}

async function makePage(): Promise<PageParts> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const page = renderGraphiQL()
  const examples = JSON.stringify((await readExamples()).map(toItem))
  return {
    files: {
      'graphiql.css': between(page, '<style>', '</style>'),
      'graphiql.js': between(page, '<script>', 'YogaGraphiQL.renderYogaGraphiQL('),
      'start.js': `const chosen = (${listExamples})(${examples})
YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), { ...${JSON.stringify(OPTIONS)}, ...chosen })
`,
    },
    html: (link) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${OPTIONS.title}</title>
<link rel="icon" href="favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${link('graphiql.css')}">
</head>
<body id="body" class="no-focus-outline">
<noscript>Enable JavaScript to run this page.</noscript>
<div id="root"></div>
<script src="${link('graphiql.js')}"></script>
<script src="${link('start.js')}"></script>
</body>
</html>
`,
    policy: POLICY,
  }
}

function between(page: string, opening: string, closing: string): string {
  const from = page.indexOf(opening) + opening.length
  const to = page.indexOf(closing, from)
  if (from < opening.length || to < from) throw new Error('GraphiQL comes in another form')
  return page.slice(from, to)
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

/** Runs in the browser. */
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
  list.onchange = () => {
    history.replaceState(null, '', `${location.pathname}#${list.value}`)
    location.reload()
  }
  document.body.append(list)
  const chosen = items.find(({ name }) => location.hash === `#${name}`)
  return chosen === undefined ? {} : { query: chosen.query, variables: chosen.variables }
}
