import { at } from '../api/base.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { filledIn, type Reader, withAddress } from './fill-in.ts'
import type { Block, Inline } from './pages.ts'

interface OfReader {
  readonly reader: Reader
}

/** The text of a page, with the reader's own address, key, endpoint and voice in its samples. */
export const Blocks = ({ blocks, reader }: OfReader & { readonly blocks: readonly Block[] }) => (
  <>
    {blocks.map((block, index) => (
      <OneBlock key={index} block={block} reader={reader} />
    ))}
  </>
)

function OneBlock({ block, reader }: OfReader & { readonly block: Block }) {
  switch (block.kind) {
    case 'heading':
      return <Heading block={block} reader={reader} />
    case 'paragraph':
      return (
        <p>
          <Inlines of={block.of} reader={reader} />
        </p>
      )
    case 'code':
      return <Sample text={filledIn(block.text, reader)} />
    case 'list': {
      const List = block.isOrdered ? 'ol' : 'ul'
      return (
        <List>
          {block.items.map((item, index) => (
            <li key={index}>
              <Blocks blocks={item} reader={reader} />
            </li>
          ))}
        </List>
      )
    }
    default:
      return <Table block={block} reader={reader} />
  }
}

type Of<Kind extends Block['kind']> = OfReader & { readonly block: Extract<Block, { kind: Kind }> }

function Heading({ block: { level, id, of }, reader }: Of<'heading'>) {
  const Level = level > 2 ? 'h3' : 'h2'
  return (
    <Level id={id}>
      <a href={`#${id}`}>
        <Inlines of={of} reader={reader} />
      </a>
    </Level>
  )
}

const Sample = ({ text }: { readonly text: string }) => (
  <div class="sample">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
    <pre tabIndex={0}>{text}</pre>
    <CopyButton text={text} label="Copy this sample" />
  </div>
)

const Table = ({ block: { head, rows }, reader }: Of<'table'>) => (
  <table>
    {head.some((cell) => cell.length > 0) && (
      <thead>
        <tr>
          {head.map((cell, index) => (
            <th key={index} scope="col">
              <Inlines of={cell} reader={reader} />
            </th>
          ))}
        </tr>
      </thead>
    )}
    <tbody>
      {rows.map((row, index) => (
        <tr key={index}>
          {row.map((cell, column) => (
            <td key={column}>
              <Inlines of={cell} reader={reader} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)

const Inlines = ({ of, reader }: OfReader & { readonly of: readonly Inline[] }) => (
  <>
    {of.map((part, index) => (
      <OneInline key={index} part={part} reader={reader} />
    ))}
  </>
)

function OneInline({ part, reader }: OfReader & { readonly part: Inline }) {
  if (typeof part === 'string') return part
  switch (part.kind) {
    case 'code':
      return <code>{withAddress(part.text, reader.service)}</code>
    case 'break':
      return <br />
    case 'link':
      return (
        <Link href={part.href}>
          <Inlines of={part.of} reader={reader} />
        </Link>
      )
    default: {
      const Mark = part.kind
      return (
        <Mark>
          <Inlines of={part.of} reader={reader} />
        </Mark>
      )
    }
  }
}

/** Another site opens beside the console, and is not told where from. */
function Link({ href, children }: { readonly href: string; readonly children: preact.ComponentChildren }) {
  if (href.startsWith('#')) return <a href={href}>{children}</a>
  if (!href.startsWith('http')) return <a href={at(`/help/${href}`)}>{children}</a>
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {children}
    </a>
  )
}
