import { describeConsole } from './journeys/describe-console.ts'
import { faultJourneys } from './journeys/faults/faults.ts'
import { interruptionJourneys } from './journeys/faults/interruptions.ts'
import { limitJourneys } from './journeys/faults/limits.ts'
import { versionJourneys } from './journeys/faults/versions.ts'

describeConsole('faults, limits and interruptions in a browser', (opened) => {
  faultJourneys(opened)
  versionJourneys(opened)
  interruptionJourneys(opened)
  limitJourneys(opened)
})
