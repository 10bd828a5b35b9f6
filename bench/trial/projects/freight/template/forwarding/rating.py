"""Chargeable weight and freight (docs/records/rating.md)."""


def chargeable_kg(kg, cbm, ratio):
    weight = max(kg, cbm * ratio)
    return int(round(weight / 10.0) * 10)


def band_of(weight):
    if weight < 500:
        return "light"
    if weight < 2000:
        return "middle"
    return "heavy"


def freight(shipment, tariff, day):
    """Freight of a shipment in minor units."""
    weight = chargeable_kg(shipment["kg"], shipment["cbm"], tariff.ratio)
    amount = weight * tariff.rate(band_of(weight), day) // 100
    return max(amount, tariff.rate("floor", day))
