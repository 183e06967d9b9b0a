import { Parser } from 'htmlparser2'
import { type Block, ImportError, type Imported, type ImportedChapter, outlined, tidy, titleOf } from './blocks.ts'
import { decodeText } from './text-file.ts'
import { readPage } from './xhtml.ts'

const CONTAINER = 'META-INF/container.xml'
const ENCRYPTION = 'META-INF/encryption.xml'
/** Fonts may be disguised in any book. */
const DISGUISES = new Set(['http://www.idpf.org/2008/embedding', 'http://ns.adobe.com/pdf/enc#RC'])
export const isEpubPart = (name: string): boolean => /\.(?:xml|opf|ncx|x?html?)$/i.test(name)

type Files = ReadonlyMap<string, Uint8Array>

/** A page of the book in the order of reading. */
interface Page {
  readonly path: string
  readonly properties: string
}

interface Package {
  readonly title: string
  readonly spine: readonly Page[]
  /** The table of contents: of EPUB 3, or else of EPUB 2. */
  readonly contents: string | undefined
  /** Covers and tables of contents, as the older list of the parts names them. */
  readonly leftOut: ReadonlySet<string>
}

/** A title of the table of contents, and where it begins. */
interface Entry {
  readonly title: string
  readonly path: string
  /** '' for the beginning of the page. */
  readonly anchor: string
}

/** The text of a book in the order of reading. @throws ImportError it is none, or a shop has locked it */
export function readEpub(files: Files): Imported {
  const at = rootOf(files)
  refuseLocked(files)
  const book = readPackage(textOf(files, at), folderOf(at))
  const entries = book.contents === undefined ? [] : readContents(textOf(files, book.contents), folderOf(book.contents))
  const pages = book.spine.filter(({ path, properties }) => !/\bnav\b/.test(properties) && !book.leftOut.has(path))
  const chapters = entries.length === 0 ? untitled(files, pages) : titled(files, pages, entries)
  return { name: titleOf(book.title), chapters }
}

const textOf = (files: Files, path: string): string => {
  const file = files.get(path)
  return file === undefined ? '' : decodeText(file)
}

function rootOf(files: Files): string {
  let path: string | undefined
  eachTag(textOf(files, CONTAINER), (name, attributes) => {
    if (name === 'rootfile') path ??= attributes['full-path']
  })
  if (path === undefined || !files.has(path)) throw new ImportError('This is not an EPUB book.')
  return path
}

function refuseLocked(files: Files): void {
  let isLocked = false
  eachTag(textOf(files, ENCRYPTION), (name, { Algorithm }) => {
    if (name === 'EncryptionMethod' && !DISGUISES.has(Algorithm ?? '')) isLocked = true
  })
  if (isLocked)
    throw new ImportError('This book is locked with copy protection, which only the reader of its shop opens.')
}

function readPackage(xml: string, folder: string): Package {
  const items = new Map<string, Page & { readonly type: string }>()
  const [spine, leftOut] = [[] as Page[], new Set<string>()]
  let [title, isTitle, ncx] = ['', false, '']
  eachTag(
    xml,
    (name, attributes) => {
      const path = resolved(folder, attributes.href ?? '')
      const { id = '', idref = '', type = '', linear, toc } = attributes
      if (name === 'item')
        items.set(id, { path, properties: attributes.properties ?? '', type: attributes['media-type'] ?? '' })
      if (name === 'spine') ncx = toc ?? ''
      if (name === 'itemref' && linear !== 'no') spine.push(...[items.get(idref) ?? []].flat())
      if (name === 'reference' && /^(?:cover|toc)$/.test(type)) leftOut.add(path)
      isTitle = name === 'title' && title === ''
    },
    (text) => {
      if (isTitle) title += text
    },
    () => {
      isTitle = false
    },
  )
  const all = [...items.values()]
  const nav = all.find(({ properties }) => /\bnav\b/.test(properties))
  const old = items.get(ncx) ?? all.find(({ type }) => type === 'application/x-dtbncx+xml')
  return { title, spine, contents: (nav ?? old)?.path, leftOut }
}

/** The two upper levels: what lies deeper are sections. */
const DEEPEST = 2

/** Both forms: lists of links, and points with a label and a place. */
function readContents(xml: string, folder: string): Entry[] {
  const found: { title: string; href: string }[] = []
  let [depth, isLabel, isContents] = [0, false, false]
  eachTag(
    xml,
    (name, attributes) => {
      if (name === 'nav') isContents = /\btoc\b/.test(attributes['epub:type'] ?? attributes.role ?? '')
      if (name === 'navMap') isContents = true
      if (name === 'ol' || name === 'navPoint') depth++
      if (!isContents || depth > DEEPEST) return
      const isEntry = name === 'navPoint' || (name === 'a' && attributes.href !== undefined)
      if (isEntry) found.push({ title: '', href: attributes.href ?? '' })
      if (name === 'a' || name === 'text') isLabel = isEntry || name === 'text'
      const last = found.at(-1)
      if (name === 'content' && last?.href === '') last.href = attributes.src ?? ''
    },
    (text) => {
      const last = found.at(-1)
      if (isLabel && last !== undefined) last.title += text
    },
    (name) => {
      if (name === 'a' || name === 'text') isLabel = false
      if (name === 'ol' || name === 'navPoint') depth--
      if (name === 'nav' || name === 'navMap') isContents = false
    },
  )
  return found
    .map(({ title, href }) => ({ title: tidy(title).replaceAll('\n', ' '), ...placeOf(href, folder) }))
    .filter(({ title }) => title !== '')
}

function placeOf(href: string, folder: string): Pick<Entry, 'path' | 'anchor'> {
  const [path = '', anchor = ''] = href.split('#')
  return { path: resolved(folder, path), anchor: unescaped(anchor) }
}

/** Each entry begins a chapter; pages without one go on with the chapter before. What lies before the first entry has no name. */
function titled(files: Files, pages: readonly Page[], entries: readonly Entry[]): ImportedChapter[] {
  const chapters: { title: string; paragraphs: string[] }[] = []
  for (const { path } of pages) {
    const own = entries.filter((entry) => entry.path === path)
    const anchors = new Map(own.map(({ anchor, title }) => [anchor, title]))
    const begin = (title: string): void => void chapters.push({ title, paragraphs: [] })
    const { blocks, isNotes } = readPage(textOf(files, path), anchors)
    if (isNotes) continue
    const start = anchors.get('')
    if (start !== undefined) begin(start)
    for (const { text, anchor } of blocks) {
      const title = anchor === undefined ? undefined : anchors.get(anchor)
      if (title !== undefined || chapters.length === 0) begin(title ?? '')
      chapters.at(-1)?.paragraphs.push(text)
    }
  }
  return chapters
}

/** Without a table of contents, headings begin chapters, or else pages do. */
function untitled(files: Files, pages: readonly Page[]): readonly ImportedChapter[] {
  const read = pages.map(({ path }) => readPage(textOf(files, path), new Map())).filter(({ isNotes }) => !isNotes)
  const blocks: readonly Block[] = read.flatMap((page) => page.blocks)
  if (blocks.some(({ level }) => level !== undefined)) return outlined(blocks).chapters
  return read.map((page) => ({ title: '', paragraphs: page.blocks.map(({ text }) => text) }))
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** The path in the ZIP that an address in a file of it leads to. */
function resolved(folder: string, href: string): string {
  const path: string[] = []
  for (const part of `${folder}${unescaped(href)}`.split('/'))
    if (part === '..') path.pop()
    else if (part !== '.' && part !== '') path.push(part)
  return path.join('/')
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

type Attributes = Readonly<Record<string, string>>

/** Names of tags come without their prefix. */
function eachTag(
  xml: string,
  open: (name: string, attributes: Attributes) => void,
  text: (text: string) => void = () => {},
  close: (name: string) => void = () => {},
): void {
  const plain = (name: string): string => name.slice(name.indexOf(':') + 1)
  const parser = new Parser(
    {
      onopentag: (name, attributes) => open(plain(name), attributes),
      ontext: text,
      onclosetag: (name) => close(plain(name)),
    },
    { xmlMode: true },
  )
  parser.write(xml)
  parser.end()
}
