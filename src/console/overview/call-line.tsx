import { serviceUrl } from '../api/base.ts'
import { CopyButton } from '../parts/copy-button.tsx'

/** How a program speaks, as a line to copy. */
export function CallLine() {
  const line = `curl -sS ${serviceUrl()}/api/v1/voice/tts -H "Authorization: Bearer $KEY" \\
  -H 'Content-Type: application/json' -d '{"inputs":{"text":"Hello!","voice":"aria"}}'`
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <pre tabIndex={0}>{line}</pre>
      <CopyButton text={line} label="Copy the line">
        Copy
      </CopyButton>
    </>
  )
}
