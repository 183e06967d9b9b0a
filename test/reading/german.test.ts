import { describeReadings } from './readings.ts'

describeReadings('German', {
  cardinal: `
    Sie hat 21 Bücher und 1 Katze. | Sie hat ein und zwanzig Bücher und eine Katze.
    Die Stadt hat 1.250.300 Einwohner. | Die Stadt hat eine Million zwei hundert fünfzig tausend drei hundert Einwohner.
    Im Saal saßen 1.850 Gäste. | Im Saal saßen ein tausend acht hundert fünfzig Gäste.
    Er wartet 1 Stunde und 12 Tage. | Er wartet eine Stunde und zwölf Tage.
    Das Dorf hat 987 Einwohner. | Das Dorf hat neun hundert sieben und achtzig Einwohner.
    Es kamen 1.204 Gäste. | Es kamen ein tausend zwei hundert vier Gäste.
  `,
  ordinal: `
    Am 3. Tag kam der 2. Zug. | Am dritten Tag kam der zweite Zug.
    Der 1. Platz geht an Anna. | Der erste Platz geht an Anna.
    Sie wohnt im 4. Stock. | Sie wohnt im vierten Stock.
    Das ist ihr 7. Buch. | Das ist ihr siebtes Buch.
  `,
  decimal: `
    Der Wert stieg um 0,75 Punkte. | Der Wert stieg um null Komma sieben fünf Punkte.
    Die Note ist 2,3. | Die Note ist zwei Komma drei.
  `,
  fraction: `
    Es fehlen 2/3 der Stimmen. | Es fehlen zwei drittel der Stimmen.
    Es fehlen 3/4 der Stimmen. | Es fehlen drei viertel der Stimmen.
  `,
  money: `
    Das Buch kostet 15,50 €. | Das Buch kostet fünfzehn Euro fünfzig Cent.
    Der Bau kostet 2,4 Mio. Euro. | Der Bau kostet zwei Komma vier Millionen Euro.
    Das macht $ 3,25. | Das macht drei Dollar fünf und zwanzig Cent.
    Er zahlt 21 € und 50 Cent. | Er zahlt ein und zwanzig Euro und fünfzig Cent.
    Die Miete beträgt 850 €. | Die Miete beträgt acht hundert fünfzig Euro.
  `,
  measure: `
    Er fährt 120 km/h. | Er fährt ein hundert zwanzig Kilometer pro Stunde.
    Sie ist 1,75 m groß und wiegt 61 kg. | Sie ist eins Komma sieben fünf Meter groß und wiegt ein und sechzig Kilogramm.
    Der Raum hat 24 m². | Der Raum hat vier und zwanzig Quadrat Meter.
    Es sind -4 °C. | Es sind minus vier Grad Celsius.
    Man braucht 250 ml und 1 l. | Man braucht zwei hundert fünfzig Milliliter und ein Liter.
    Die Zahl sank um 8 %. | Die Zahl sank um acht Prozent.
    Der Sack wiegt 25 kg. | Der Sack wiegt fünf und zwanzig Kilogramm.
    Wir brauchen 3 m Stoff. | Wir brauchen drei Meter Stoff.
  `,
  date: `
    Sie kam am 3. April 1999. | Sie kam am dritten April neunzehn hundert neun und neunzig.
    Der Termin ist am 07.11.2025. | Der Termin ist am siebten November zwei tausend fünf und zwanzig.
    Am 1. Mai ist frei. | Am ersten Mai ist frei.
    Vom 2. bis 5. Juni. | Vom zweiten bis fünften Juni.
    Erschienen 2023-10-05. | Erschienen fünfter Oktober zwei tausend drei und zwanzig.
    Heute ist der 3. Mai. | Heute ist der dritte Mai.
    Am 24. Dezember 2020 schneite es. | Am vier und zwanzigsten Dezember zwei tausend zwanzig schneite es.
  `,
  time: `
    Um 21:15 Uhr beginnt es. | Um ein und zwanzig Uhr fünfzehn beginnt es.
    Der Zug fährt um 6.30 Uhr. | Der Zug fährt um sechs Uhr dreißig.
    Von 9:00 bis 14:00 Uhr. | Von neun Uhr bis vierzehn Uhr.
    Der Film beginnt um 20 Uhr. | Der Film beginnt um zwanzig Uhr.
  `,
  telephone: `
    Tel. 030 1234567 | Telefon null drei null, eins zwei drei vier fünf sechs sieben
    Meine Nummer ist +49 170 1234567. | Meine Nummer ist plus neun und vierzig, eins sieben null, eins zwei drei vier fünf sechs sieben.
  `,
  range: `
    Lies die Seiten 12-18. | Lies die Seiten zwölf bis achtzehn.
    Der Krieg 1914–1918. | Der Krieg neunzehn hundert vierzehn bis neunzehn hundert achtzehn.
    20-25 Minuten backen. | zwanzig bis fünf und zwanzig Minuten backen.
  `,
  roman: `
    Ludwig XIV. war König. | Ludwig der vierzehnte war König.
    Papst Johannes Paul II. reiste viel. | Papst Johannes Paul der zweite reiste viel.
    Kapitel IV beginnt. | Kapitel vier beginnt.
  `,
  score: `
    Bayern siegte 4:2. | Bayern siegte vier zu zwei.
  `,
  electronic: `
    Schreib an lisa@gmail.com. | Schreib an l i s a at gmail Punkt com.
    Siehe www.bund.de/hilfe. | Siehe w w w Punkt bund Punkt d e Slash hilfe.
    Folge @eva_k und #Urlaub | Folge at e v a Unterstrich k und Hashtag Urlaub
  `,
  serial: `
    Der Airbus A380 landet. | Der Airbus A drei hundert achtzig landet.
  `,
  math: `
    5 + 3 = 8 | fünf plus drei gleich acht
    x² ≤ 10 | x Quadrat kleiner gleich zehn
    CO₂ in der Luft | C O zwei in der Luft
    4 × 5 = 20 | vier mal fünf gleich zwanzig
  `,
  abbreviation: `
    Dr. Weber und Prof. Klein kommen. | Doktor Weber und Professor Klein kommen.
    Obst, z. B. Äpfel, Birnen usw. | Obst, zum Beispiel Äpfel, Birnen und so weiter.
    Nr. 5 auf S. 12 | Nummer fünf auf Seite zwölf
    Er lebte 31 v. Chr. | Er lebte ein und dreißig vor Christus.
    Das ist ca. 5 km entfernt. | Das ist circa fünf Kilometer entfernt.
  `,
  acronym: `
    Die EU, die UNO und die NATO. | Die E U, die UNO und die NATO.
  `,
  symbol: `
    Weber & Söhne © 2020 | Weber und Söhne Copyright zwei tausend zwanzig
    Er sagte: 50 % + 5 %. | Er sagte: fünfzig Prozent plus fünf Prozent.
  `,
})
