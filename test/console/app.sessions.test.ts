import { describeConsole } from './journeys/describe-console.ts'
import { earJourneys } from './journeys/display/ears.ts'
import { endpointsJourneys } from './journeys/operator/endpoints.ts'
import { naturalVoiceJourneys } from './journeys/operator/natural-voice.ts'
import { unservedPoolJourneys } from './journeys/operator/unserved-pools.ts'
import { federationJourneys } from './journeys/sessions/federation.ts'
import { followingJourneys } from './journeys/sessions/following.ts'
import { heldPageJourneys } from './journeys/sessions/held-pages.ts'
import { sessionJourneys } from './journeys/sessions/sessions.ts'

/** The console is tested in four files, each with a service and a browser of its own, so that they run next to each other. */
describeConsole('sessions and changes by others in a browser', (opened) => {
  endpointsJourneys(opened)
  sessionJourneys(opened)
  heldPageJourneys(opened)
  unservedPoolJourneys(opened)
  followingJourneys(opened)
  federationJourneys(opened)
  earJourneys(opened)
  naturalVoiceJourneys(opened)
})
