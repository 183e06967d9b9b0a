import { at, PREFIX } from '../api/base.ts'
import { isOwner } from '../api/session.ts'
import { CallLine } from './call-line.tsx'

/** Until the first job: hear something, make a key, call it from a program. */
export function FirstSteps() {
  return (
    <ol class="steps">
      <li class="card card-body">
        <h2>Hear a sentence</h2>
        <p class="prose">Type a text, choose a voice and press Speak: it plays from the first finished sentence on.</p>
        <a class="button primary" href={at('/playground')}>
          Open the playground
        </a>
      </li>
      {isOwner.value && (
        <li class="card card-body">
          <h2>Make an API key</h2>
          <p class="prose">Each program gets one of its own, which can be revoked alone.</p>
          <a class="button" href={at('/keys?new')}>
            Make a key
          </a>
        </li>
      )}
      <li class="card card-body">
        <h2>Call it from a program</h2>
        <p class="prose">
          Over REST, GraphQL or a client of OpenAI's API. <a href={`${PREFIX}/docs`}>Everything is documented here.</a>
        </p>
        <CallLine />
      </li>
    </ol>
  )
}
