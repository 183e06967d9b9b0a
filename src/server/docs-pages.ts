import { readdir, readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { mountPage, type PageParts } from '../http/served-file.ts'

const PATH = '/docs'
const DOCS = new URL('../../docs/', import.meta.url)
const STYLE = new URL('docs.css', import.meta.url)
const PICTURES = ['architecture.svg', 'console.png']
const FIRST = 'README'
/** Beside the pages, by their addresses relative to them. */
const REFERENCES: readonly (readonly [href: string, title: string])[] = [
  ['reference', 'REST reference'],
  ['reference?of=openai', 'Reference for OpenAI clients'],
  ['../graphql', 'GraphiQL'],
]
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

type Link = (file: string) => string

/** A page as GitHub shows it too. */
interface Document {
  readonly name: string
  readonly title: string
  readonly html: string
}

/** Serves docs/ as pages below /docs; docs/README.md is /docs itself. */
export function mountDocsPages(app: FastifyInstance): void {
  const page = mountPage(app, PATH, makePages)
  app.get<{ Querystring: { of?: string } }>(PATH, (request, reply) =>
    // The address that the reference for OpenAI clients had in 0.1.0.
    request.query.of === 'openai' ? reply.redirect('docs/reference?of=openai') : page.send(reply),
  )
  app.get(`${PATH}/`, (_request, reply) => reply.redirect(`..${PATH}`))
  app.get<{ Params: { page: string } }>(`${PATH}/:page`, ({ params }, reply) => page.send(reply, params.page))
}

async function makePages(): Promise<PageParts> {
  const files = (await readdir(DOCS)).filter((file) => file.endsWith('.md'))
  const documents = await Promise.all(files.map(readDocument))
  const first = documents.find(({ name }) => name === FIRST)
  if (first === undefined) throw new Error('docs/README.md is missing')
  const pictures = await Promise.all(
    PICTURES.map(async (name) => [name, await readFile(new URL(`images/${name}`, DOCS))] as const),
  )
  const navigation = navigationOf(first, documents)
  const shown = (document: Document, root: string) => (link: Link) => pageOf(document, { root, navigation, link })
  const inside = documents.filter((one) => one !== first).map((one) => [one.name, shown(one, '')] as const)
  return {
    files: { 'docs.css': await readFile(STYLE), ...Object.fromEntries(pictures) },
    html: shown(first, 'docs/'),
    inside: Object.fromEntries(inside),
    policy: POLICY,
  }
}

async function readDocument(file: string): Promise<Document> {
  const { parse } = await import('marked')
  const html = parse(await readFile(new URL(file, DOCS), 'utf8'), { async: false })
  const [, title = ''] = /<h1>(.*?)<\/h1>/.exec(html) ?? []
  return { name: file.replace(/\.md$/, ''), title, html }
}

/** The pages in the order in which the first one names them. */
function navigationOf(first: Document, documents: readonly Document[]): readonly (readonly [string, string])[] {
  const named = [...first.html.matchAll(/href="([\w-]+)\.md"/g)].map(([, name]) => name)
  const pages = documents.filter(({ name }) => named.includes(name))
  const sorted = pages.toSorted((one, other) => named.indexOf(one.name) - named.indexOf(other.name))
  return [...sorted.map(({ name, title }) => [name, title] as const), ...REFERENCES]
}

interface Surroundings {
  /** The folder of the pages, relative to the page's own address. */
  readonly root: string
  readonly navigation: readonly (readonly [href: string, title: string])[]
  readonly link: Link
}

function pageOf({ name, title, html }: Document, { root, navigation, link }: Surroundings): string {
  const items = navigation.map(
    ([href, text]) => `<a href="${from(root, href)}"${href === name ? ' aria-current="page"' : ''}>${text}</a>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Sonant</title>
<link rel="icon" href="${from(root, '../favicon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${link('docs.css')}">
</head>
<body>
<header><a href="${from(root, '../docs')}">Sonant</a> <a href="${from(root, '../console')}">Console</a></header>
<nav aria-label="Pages">${items.join('')}</nav>
<main>
${adapt(html, root, link)}</main>
</body>
</html>
`
}

/** `docs/` and `../` lead to the page's own folder. */
const from = (root: string, href: string): string =>
  root !== '' && href.startsWith('../') ? href.slice('../'.length) : `${root}${href}`

/** Gives headings the anchors that GitHub gives them, and has links lead to pages; files of the repository have none. */
function adapt(html: string, root: string, link: Link): string {
  return html
    .replace(/<h([1-6])>(.*?)<\/h\1>/g, (_, level, inner) => `<h${level} id="${anchorOf(inner)}">${inner}</h${level}>`)
    .replace(/<a href="([^"]*)">(.*?)<\/a>/gs, (whole, href: string, inner: string) => {
      if (/^(https?:|#)/.test(href)) return whole
      const [, page, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? []
      if (page === undefined) return inner
      return `<a href="${from(root, page === FIRST ? '../docs' : page)}${anchor}">${inner}</a>`
    })
    .replace(/src="images\/([^"]+)"/g, (_, name: string) => `src="${link(name)}"`)
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
}

const anchorOf = (heading: string): string =>
  heading
    .replace(/<[^>]+>/g, '')
    .replace(/&(#?\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
