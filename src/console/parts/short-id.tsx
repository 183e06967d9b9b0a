import { CopyButton } from './copy-button.tsx'
import { shortId } from './format.ts'

/** An id, shortened in its middle, as a link where it leads somewhere; copied whole. */
export function ShortId({ id, href }: { id: string; href?: string }) {
  return (
    <span class="short-id">
      {href === undefined ? (
        <code title={id}>{shortId(id)}</code>
      ) : (
        <a href={href} title={id}>
          <code>{shortId(id)}</code>
        </a>
      )}
      <CopyButton text={id} label={`Copy ${id}`} />
    </span>
  )
}
