interface YamlEditorProps {
  readonly value: string
  /** Their numbers, from 1. */
  readonly badLines: ReadonlySet<number>
  readonly onChange: (value: string) => void
}

/** A text with numbers at its lines; those that are wrong are marked. */
export function YamlEditor({ value, badLines, onChange }: YamlEditorProps) {
  const lines = value.split('\n').length
  return (
    <div class="yaml card">
      <div class="yaml-lines" aria-hidden="true">
        {Array.from({ length: lines }, (_, at) => (
          <span key={at} class={badLines.has(at + 1) ? 'bad' : undefined}>
            {at + 1}
          </span>
        ))}
      </div>
      <textarea
        class="yaml-text"
        aria-label="Endpoint file"
        aria-invalid={badLines.size > 0}
        wrap="off"
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        rows={lines}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  )
}

/** `line 12` as 12; null of any other path. */
export function lineOf(path: string): number | null {
  const [, line] = /^line (\d+)$/.exec(path) ?? []
  return line === undefined ? null : Number(line)
}
