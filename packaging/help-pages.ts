import { readFileSync } from 'node:fs'
import { marked, type Token, type Tokens } from 'marked'
import type { Block, HelpEntry, HelpGroup, Inline } from '../src/console/help/pages.ts'

const DOCS = new URL('../docs/', import.meta.url)
const FILE = '/src/console/help/pages.ts'
const MARK = '?help='
/** This group of docs/README.md is for those who change the service. */
const NOT_FOR_USERS = 'To change it'
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/**
 * A plugin of Vite: the pages of docs/ that docs/README.md names for users, as data for the console. Each page is a module of its own, which is
 * loaded when it is read.
 */
export function helpPages() {
  const { groups, blocks } = readHelp()
  const loads = groups
    .flatMap(({ entries }) => entries)
    .map(({ name }) => `'${name}': () => import('./pages.ts${MARK}${name}')`)
  return {
    name: 'help-pages',
    enforce: 'pre' as const,
    load(id: string): string | undefined {
      const [file = '', name] = id.split(MARK)
      if (!file.replaceAll('\\', '/').endsWith(FILE)) return undefined
      return name === undefined
        ? `export const groups = ${JSON.stringify(groups)}\nexport const pages = { ${loads.join(', ')} }`
        : `export const blocks = ${JSON.stringify(blocks(name))}`
    },
  }
}

interface Help {
  readonly groups: readonly HelpGroup[]
  readonly blocks: (name: string) => readonly Block[]
}

/** @param read the text of a page of docs/ by its name */
export function readHelp(read: (name: string) => string = readPage): Help {
  const tables = marked.lexer(read('README')).filter((token): token is Tokens.Table => token.type === 'table')
  const named = tables
    .map(({ header, rows }) => ({ title: header[0]?.text ?? '', names: rows.flatMap(([cell]) => namesIn(cell)) }))
    .filter(({ title }) => title !== NOT_FOR_USERS)
  const known = named.flatMap(({ names }) => names)
  const blocks = (name: string): readonly Block[] => blocksOf(marked.lexer(read(name)), known)
  const entryOf = (name: string): HelpEntry => {
    const [first, ...rest] = blocks(name).filter((block) => block.kind === 'heading')
    const headings = rest.filter(({ level }) => level === 2).map(({ id, of }) => ({ id, text: plain(of) }))
    return { name, title: plain(first?.of ?? []), headings }
  }
  return { groups: named.map(({ title, names }) => ({ title, entries: names.map(entryOf) })), blocks }
}

const readPage = (name: string): string => readFileSync(new URL(`${name}.md`, DOCS), 'utf8')

const namesIn = (cell: Tokens.TableCell | undefined): string[] =>
  [...(cell?.text ?? '').matchAll(/\]\(([\w-]+)\.md\)/g)].map(([, name = '']) => name)

/** @param known pages that links may lead to */
function blocksOf(tokens: readonly Token[], known: readonly string[]): Block[] {
  const inlines = (token: { tokens?: Token[] }): Inline[] => inlinesOf(token.tokens ?? [], known)
  return (tokens as Tokens.Generic[]).flatMap((token): Block[] => {
    switch (token.type) {
      case 'heading': {
        const of = inlines(token)
        return [{ kind: 'heading', level: token.depth, id: anchorOf(plain(of)), of }]
      }
      case 'paragraph':
      case 'text':
        return [{ kind: 'paragraph', of: inlines(token) }]
      case 'code':
        return [{ kind: 'code', language: token.lang ?? '', text: token.text }]
      case 'list': {
        const items = (token as Tokens.List).items.map((item) => blocksOf(item.tokens, known))
        return [{ kind: 'list', isOrdered: token.ordered, items }]
      }
      case 'table': {
        const { header, rows } = token as Tokens.Table
        return [{ kind: 'table', head: header.map(inlines), rows: rows.map((row) => row.map(inlines)) }]
      }
      case 'blockquote':
        return blocksOf(token.tokens ?? [], known)
      case 'space':
      case 'hr':
        return []
      default:
        if (/^<!--.*-->\s*$/s.test(token.raw)) return []
        throw unshown(token)
    }
  })
}

function inlinesOf(tokens: readonly Token[], known: readonly string[]): Inline[] {
  const of = (token: Tokens.Generic): Inline[] => inlinesOf(token.tokens ?? [], known)
  return (tokens as Tokens.Generic[]).flatMap((token): Inline[] => {
    switch (token.type) {
      case 'text':
        return token.tokens === undefined ? [decoded(token.text)] : of(token)
      case 'escape':
        return [decoded(token.text)]
      case 'codespan':
        return [{ kind: 'code', text: decoded(token.text) }]
      case 'strong':
      case 'em':
        return [{ kind: token.type, of: of(token) }]
      case 'link': {
        const href = hrefOf(token.href, known)
        return href === null ? of(token) : [{ kind: 'link', href, of: of(token) }]
      }
      case 'br':
        return [{ kind: 'break' }]
      default:
        if (token.raw === '<br>') return [{ kind: 'break' }]
        throw unshown(token)
    }
  })
}

const unshown = ({ type, raw }: Token): Error => new Error(`docs/ have a ${type}, which help cannot show: ${raw}`)

/** Null: files of the repository have no page. */
function hrefOf(href: string, known: readonly string[]): string | null {
  if (/^https?:|^#/.test(href)) return href
  const [, page = '', anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  return known.includes(page) ? page + anchor : null
}

const decoded = (text: string): string => text.replace(/&(#?\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)

const plain = (of: readonly Inline[]): string =>
  of
    .map((part) => (typeof part === 'string' ? part : 'text' in part ? part.text : 'of' in part ? plain(part.of) : ' '))
    .join('')

/** As GitHub names the headings of a document. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
