import { useState } from 'preact/hooks'
import { CopyButton } from '../parts/copy-button.tsx'
import { Segments } from '../parts/field.tsx'
import { verifySnippets } from './verify-snippets.ts'

/** Shows code by which a receiver verifies a delivery. */
export function VerifyCard() {
  const [chosen, setChosen] = useState(verifySnippets[0]?.language ?? '')
  const snippet = verifySnippets.find(({ language }) => language === chosen)
  return (
    <section class="card" aria-labelledby="verify">
      <div class="card-head">
        <h2 id="verify">Verify what arrives</h2>
        <CopyButton text={snippet?.text ?? ''} label={`Copy ${snippet?.file}`}>
          Copy
        </CopyButton>
      </div>
      <div class="card-body stack">
        <p class="muted">
          Anybody can post to your URL. A receiver checks the signature over the raw bytes, before it parses them, and
          skips a <code>webhook-id</code> that it has handled: retries repeat it.
        </p>
        <Segments
          label="Language"
          value={chosen}
          onChange={setChosen}
          options={verifySnippets.map(({ language }) => [language, language])}
        />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
        <pre class="snippet" tabIndex={0}>
          {snippet?.text}
        </pre>
        <p class="hint">
          It reads the signing secret from the environment variable WEBHOOK_SECRET: a rotation shows it.
        </p>
      </div>
    </section>
  )
}
