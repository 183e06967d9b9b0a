import { count } from '../../parts/format.ts'

interface TextViewProps {
  readonly chapters: readonly {
    readonly title: string
    readonly paragraphs: readonly { readonly key: string; readonly text: string; readonly speaker?: string | null }[]
  }[]
  /** The texts that are compared with; a paragraph that differs is marked. */
  readonly beside: ReadonlyMap<string, string>
}

/** A text to read; what differs from the one that is open is marked. */
export function TextView({ chapters, beside }: TextViewProps) {
  const others = chapters.flatMap(({ paragraphs }) => paragraphs).filter(({ key, text }) => beside.get(key) !== text)
  return (
    <>
      <p class="muted">
        {others.length === 0
          ? 'Its text is the same as the one that is open.'
          : `${count(others.length)} ${others.length === 1 ? 'paragraph differs' : 'paragraphs differ'} from the text that is open.`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it */}
      <section class="text-view" tabIndex={0} aria-label="Text">
        {chapters.map(({ title, paragraphs }, index) => (
          <article key={index}>
            <h3 dir="auto">{title}</h3>
            {paragraphs.map(({ key, text, speaker }) => (
              <p key={key} dir="auto" class={beside.get(key) === text ? undefined : 'differs'}>
                {speaker && <strong>{speaker}: </strong>}
                {text}
              </p>
            ))}
          </article>
        ))}
      </section>
    </>
  )
}
