import { strToU8, zipSync } from 'fflate'

/** A ZIP of these texts by their paths. */
const zip = (files: Readonly<Record<string, string>>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)])))

/** A Word document with this body. @param styles `<w:style>` elements */
export const docx = (body: string, styles = ''): Uint8Array =>
  zip({
    '[Content_Types].xml': '<Types/>',
    'word/document.xml': `<?xml version="1.0"?><w:document xmlns:w="w" xmlns:mc="mc"><w:body>${body}</w:body></w:document>`,
    'word/styles.xml': `<w:styles>${styles}</w:styles>`,
    'word/footnotes.xml':
      '<w:footnotes><w:footnote><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>',
  })

/** A paragraph of such a document. */
export const wp = (text: string, style?: string): string =>
  `<w:p>${style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`

interface Book {
  /** Pages by name, with their bodies, in the order of reading. */
  readonly pages: Readonly<Record<string, string>>
  /** The list of the table of contents in EPUB 3; absent: the book has none. */
  readonly nav?: string
  /** Points of the table of contents in EPUB 2. */
  readonly ncx?: string
  readonly encryption?: string
  readonly guide?: string
}

const page = (body: string): string =>
  `<?xml version="1.0"?><html xmlns="x" xmlns:epub="e"><head><title/><style>p {}</style></head><body>${body}</body></html>`

export function epub({ pages, nav, ncx, encryption, guide = '' }: Book): Uint8Array {
  const names = Object.keys(pages)
  const items = names.map((name) => `<item id="${name}" href="text/${name}.xhtml" media-type="application/xhtml+xml"/>`)
  const own = [
    nav === undefined ? '' : '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>',
    ncx === undefined ? '' : '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>',
  ]
  const refs = [...names, ...(nav === undefined ? [] : ['nav'])].map((name) => `<itemref idref="${name}"/>`)
  return zip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
    ...(encryption !== undefined && {
      'META-INF/encryption.xml': `<encryption><enc:EncryptedData xmlns:enc="x"><enc:EncryptionMethod Algorithm="${encryption}"/></enc:EncryptedData></encryption>`,
    }),
    'OPS/book.opf': `<package xmlns:dc="d"><metadata><dc:title>The Lighthouse &amp; the Sea</dc:title></metadata><manifest>${[...items, ...own].join('')}</manifest><spine toc="ncx">${refs.join('')}</spine>${guide}</package>`,
    ...(nav !== undefined && { 'OPS/nav.xhtml': page(`<nav epub:type="toc"><ol>${nav}</ol></nav>`) }),
    ...(ncx !== undefined && { 'OPS/toc.ncx': `<ncx><navMap>${ncx}</navMap></ncx>` }),
    ...Object.fromEntries(names.map((name) => [`OPS/text/${name}.xhtml`, page(pages[name] ?? '')])),
  })
}
